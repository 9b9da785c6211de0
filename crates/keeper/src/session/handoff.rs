//! `session_handoff`.

use std::sync::Arc;
use std::time::Duration;

use szk_runtime::launch::Mode;
use szk_tools::session::{
    Handoff, HandoffEnd, HandoffEnder, HandoffInput, HandoffOutput, HandoffState,
};
use szk_tools::{Code, Failure, Progress, Response};

use crate::context::Keeper;
use crate::handoff::{End, Handoff as Open};

/// The default reason shown to the person.
const REASON: &str = "Please take over, and say when you are done.";
/// How long a call waits by default, in milliseconds.
const WAIT: u64 = szk_tools::budget::HANDOFF_WAIT_MS;

/// Starts a hand-off, waits for its end, or ends it.
pub(crate) async fn handoff(
    keeper: &Arc<Keeper>,
    input: &HandoffInput,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let current = keeper.handoffs.current();
    if let Some(how) = input.end {
        let Some(open) = current else {
            return Err(nothing());
        };
        open.end_by_call(how);
        keeper.handoffs.retire(&open);
        return told(keeper, &open);
    }
    let wait = input.wait.unwrap_or(false);
    let open = match current {
        // Called to wait for it, or requested again: it continues.
        Some(open)
            if input.reason.is_none()
                || open.ended().is_none() && input.reason.as_ref() == Some(&open.reason) =>
        {
            open
        }
        // It may have ended after the person got the link and before someone waited for it.
        None if wait && input.reason.is_none() && input.tab.is_none() => {
            keeper.handoffs.take_unheard().ok_or_else(nothing)?
        }
        _ => begin(keeper, input).await?,
    };
    if wait {
        progress(Progress {
            message: format!("waiting for a person at {}", open.link(keeper)),
            ..Progress::default()
        });
        let limit = Duration::from_millis(input.timeout_ms.unwrap_or(WAIT));
        tokio::select! {
            _ = open.end() => {}
            () = tokio::time::sleep(limit) => {}
            closed = keeper.session.closed() => {
                return Err(Failure::new(Code::SessionNotFound, format!("the session was closed meanwhile ({:?})", closed.why)));
            }
        }
    }
    told(keeper, &open)
}

async fn begin(keeper: &Arc<Keeper>, input: &HandoffInput) -> Result<Arc<Open>, Failure> {
    let (_, tab) = keeper.tab_to_show(input.tab.as_deref()).await?;
    let reason = input.reason.clone().unwrap_or_else(|| REASON.to_owned());
    keeper
        .handoffs
        .begin(keeper, tab.id, reason)
        .await
        .map_err(|error| {
            Failure::internal(format!("cannot open a port for the live view: {error}"))
        })
}

fn nothing() -> Failure {
    Failure::new(Code::NotFound, "there is no hand-off to end or wait for")
        .hint("start one with `session_handoff` and a `reason`")
}

fn told(keeper: &Arc<Keeper>, open: &Arc<Open>) -> Result<Response, Failure> {
    let end = open.ended();
    if end.is_some() {
        keeper.handoffs.forget(open);
    }
    let window = keeper.session.mode() == Mode::Window;
    let output = HandoffOutput {
        session: keeper.session.name().to_string(),
        state: match &end {
            None => HandoffState::Waiting,
            Some(End {
                how: HandoffEnd::Done,
                ..
            }) => HandoffState::Done,
            Some(End {
                how: HandoffEnd::GivenUp,
                ..
            }) => HandoffState::GivenUp,
        },
        url: end.is_none().then(|| open.link(keeper)),
        window,
        ended_by: end.as_ref().map(|end| match end.by_call {
            true => HandoffEnder::Caller,
            false => HandoffEnder::Person,
        }),
        note: end.and_then(|end| end.note),
        page: keeper
            .session
            .tabs()
            .last()
            .map(|tab| crate::browser::shown(&tab.page.url)),
    };
    let by_call = output.ended_by == Some(HandoffEnder::Caller);
    let mut summary = match (output.state, &output.url) {
        (HandoffState::Done, _) if by_call => {
            "the hand-off is over: a call ended it as done".to_owned()
        }
        (HandoffState::GivenUp, _) if by_call => {
            "the hand-off is over: a call ended it as given up".to_owned()
        }
        (HandoffState::Done, _) => "the person is done".to_owned(),
        (HandoffState::GivenUp, _) => "the person gave up".to_owned(),
        (_, Some(url)) => format!(
            "Show this link only to the person: {url}\n{}Then call again with `wait`, which returns when they are done.",
            if window {
                "They can also use the browser's window. "
            } else {
                ""
            }
        ),
        (_, None) => String::new(),
    };
    if let Some(note) = &output.note {
        let note = szk_text::quoted(note, 2000);
        summary.push_str(&format!("; they wrote: {note}"));
    }
    Response::of::<Handoff>(summary, &output)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::{Value, json};
    use szk_tools::Call;
    use szk_wire::Found;

    use super::*;
    use crate::handle;
    use crate::testing::{Scripted, browser};

    async fn called(
        keeper: &Arc<Keeper>,
        input: Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Response {
        let call = Call::decode("session_handoff", input).unwrap();
        let answer = handle::call(keeper, call, Found::Open, progress).await;
        answer.unwrap()
    }

    /// A front end gives the link another address without knowing the operation or reading its texts.
    #[tokio::test(start_paused = true)]
    async fn an_answer_and_its_progress_say_which_live_view_they_name() {
        let scripted = Scripted::on(browser(json!({}))).await;
        let keeper = || {
            let client = szk_wire::Client::named("a");
            let nobody = szk_wire::approvals::Approver::Nobody;
            scripted.keeper.for_client(client, nobody)
        };
        let steps = Mutex::new(Vec::new());
        let hear = |step| steps.lock().unwrap().push(step);
        // The call names no session.
        let asked = json!({"reason": "help", "wait": true, "timeout_ms": 5});
        let answer = called(&keeper(), asked, &hear).await;
        let view = answer.live_view.expect("a live view");
        assert_eq!(answer.session.as_deref(), Some(&*view.session));
        assert_eq!(answer.data["url"], *view.link);
        assert!(answer.summary.contains(&view.link), "{}", answer.summary);
        assert!(view.link.contains(&view.token), "{}", view.link);
        let told = std::mem::take(&mut *steps.lock().unwrap());
        let [step] = &told[..] else {
            panic!("one step")
        };
        assert_eq!(step.live_view.as_ref(), Some(&view));
        assert!(step.message.contains(&view.link), "{}", step.message);
        // What names no link says so.
        let ended = called(&keeper(), json!({"end": "done"}), &|_| {}).await;
        assert_eq!(ended.live_view, None);
    }
}
