//! Asks the user through the client, if the client can: calls that need a person then continue on
//! their own.
//!
//! If a client declares `elicitation`, `session_handoff` and a `workflow_login` that needs a person
//! show the user the link to the live view and wait for them. Whatever a form collects passes through
//! the model, so no form asks for a code or a password: the user enters those in the page.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitationAction, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::{Value, json};
use szk_tools::session::{Handoff, HandoffEnd, HandoffInput, HandoffState};
use szk_tools::workflow::{Login, LoginInput, LoginOutput};
use szk_tools::{Call, Failure, Response};
use tokio_util::sync::CancellationToken;

use crate::{Caller, call};

/// How often one login call may hand off to a person.
const PARTS: u32 = 4;

/// How a client asks its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By opening a URL.
    Url,
    /// With a yes-or-no question.
    Form,
}

impl Way {
    /// How this client asks; in later protocol generations a server cannot ask on its own.
    fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let asked = context.client_capabilities()?.elicitation?;
        let version = context.protocol_version()?;
        if version >= ProtocolVersion::V_2026_07_28 {
            return None;
        }
        match (asked.url, asked.form) {
            (Some(_), _) => Some(Self::Url),
            // A client that declares nothing specific supports forms.
            (None, _) => Some(Self::Form),
        }
    }
}

/// One call of a client, with everything needed to make more calls for it.
struct Asking<'a, C> {
    caller: &'a C,
    context: &'a RequestContext<RoleServer>,
    stop: &'a CancellationToken,
    way: Way,
}

/// Runs a call; if it needs a person and the client can ask its user, asks them.
pub(crate) async fn run<C: Caller>(
    caller: &C,
    call: Call,
    context: &RequestContext<RoleServer>,
    stop: &CancellationToken,
) -> Result<Response, Failure> {
    let Some(way) = Way::of(context) else {
        return call::run(caller, call, context, stop).await;
    };
    let asking = Asking {
        caller,
        context,
        stop,
        way,
    };
    match call {
        Call::SessionHandoff(input) => asking.handoff(input).await,
        Call::WorkflowLogin(input) => asking.login(input).await,
        call => asking.call(call).await,
    }
}

impl<C: Caller> Asking<'_, C> {
    async fn call(&self, call: impl Into<Call>) -> Result<Response, Failure> {
        call::run(self.caller, call.into(), self.context, self.stop).await
    }

    async fn handoff(&self, input: HandoffInput) -> Result<Response, Failure> {
        let begins = input.reason.is_some() || input.tab.is_some();
        let waits = input.wait == Some(true);
        if input.end.is_some() || waits && !begins {
            return self.call(input).await;
        }
        let first = HandoffInput {
            wait: None,
            ..input.clone()
        };
        let response = self.call(first).await?;
        let Ok(open) = response.read::<Handoff>() else {
            return Ok(response);
        };
        let reason = input.reason.as_deref();
        let reason = reason.unwrap_or("Please take over the browser.");
        match &open.url {
            Some(url) if open.state == HandoffState::Waiting => {
                let limit = input.timeout_ms;
                let ended = self.person(&open.session, reason, url, limit).await?;
                // A client that cannot ask after all shows the link, like any other.
                match (ended, waits) {
                    (Some(ended), _) => Ok(ended),
                    (None, true) => self.call(wait(&open.session, limit)).await,
                    (None, false) => Ok(response),
                }
            }
            _ => Ok(response),
        }
    }

    async fn login(&self, mut input: LoginInput) -> Result<Response, Failure> {
        let mut response = self.call(input.clone()).await?;
        for _ in 0..PARTS {
            let Ok(LoginOutput {
                session,
                tab,
                handoff_url: Some(url),
                ..
            }) = response.read::<Login>()
            else {
                break;
            };
            let reason = "Signing in needs you: a second factor, a captcha or the like.";
            let ended = self.person(&session, reason, &url, None).await?;
            let Some(ended) = ended else { break };
            let done = ended.read::<Handoff>();
            if !done.is_ok_and(|ended| ended.state == HandoffState::Done) {
                response.summary = format!("{}\n{}", response.summary, ended.summary);
                break;
            }
            // From where the person left the page.
            input.url = None;
            input.session = Some(session);
            input.tab = Some(tab);
            response = self.call(input.clone()).await?;
        }
        Ok(response)
    }

    /// Shows the user the link and waits until they say they are done, in the live view or in the
    /// client.
    async fn person(
        &self,
        session: &str,
        reason: &str,
        url: &str,
        limit: Option<u64>,
    ) -> Result<Option<Response>, Failure> {
        let waiting = self.call(wait(session, limit));
        tokio::pin!(waiting);
        let asked = ask(&self.context.peer, self.way, reason, url);
        let said = tokio::select! {
            // Finished in the live view, or out of time.
            ended = &mut waiting => return ended.map(Some),
            said = asked => said,
        };
        let end = match (said, self.way) {
            // A user who opens the link says in the live view when they are done.
            (Some(ElicitationAction::Accept), Way::Url) => return waiting.await.map(Some),
            (None, _) => return Ok(None),
            (Some(ElicitationAction::Accept), Way::Form) => HandoffEnd::Done,
            (Some(_), _) => HandoffEnd::GivenUp,
        };
        let end = HandoffInput {
            session: Some(session.to_owned()),
            end: Some(end),
            ..HandoffInput::default()
        };
        self.call(end).await.map(Some)
    }
}

/// The call that waits for a hand-off to end.
fn wait(session: &str, limit: Option<u64>) -> HandoffInput {
    HandoffInput {
        session: Some(session.to_owned()),
        wait: Some(true),
        timeout_ms: limit,
        ..HandoffInput::default()
    }
}

/// The user's response; `None` if the client could not ask.
async fn ask(
    peer: &Peer<RoleServer>,
    way: Way,
    reason: &str,
    url: &str,
) -> Option<ElicitationAction> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let params = match way {
        Way::Url => ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: reason.to_owned(),
            url: url.to_owned(),
            elicitation_id: format!("handoff-{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
        },
        Way::Form => ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("{reason}\nOpen {url} and accept here when you are done."),
            requested_schema: serde_json::from_value(json!({"type": "object", "properties": {}}))
                .ok()?,
        },
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    match peer.send_request(request).await {
        // By field name: the result types are distinguished by the fields they happen to have.
        Ok(result) => action(&serde_json::to_value(&result).ok()?),
        Err(error) => {
            tracing::info!(%error, "the client did not ask its person");
            None
        }
    }
}

fn action(result: &Value) -> Option<ElicitationAction> {
    serde_json::from_value(result.get("action")?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_their_words() {
        let check = |result: Value, expected: Option<ElicitationAction>| {
            assert_eq!(action(&result), expected, "{result}");
        };
        check(
            json!({"action": "accept", "content": {}}),
            Some(ElicitationAction::Accept),
        );
        check(
            json!({"action": "decline"}),
            Some(ElicitationAction::Decline),
        );
        check(json!({"action": "cancel"}), Some(ElicitationAction::Cancel));
        check(json!({}), None);
    }
}
