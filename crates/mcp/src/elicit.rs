//! A person is asked by the client, where the client can: what needs a person goes on by itself then.
//!
//! With a client that declares `elicitation`, `session_handoff` and a `workflow_login` that needs a
//! person show the link of the live view to the person and wait for them. What a form would collect goes
//! through the model's hands, so no form asks for a code or a password: those are given to the page.

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

/// Times that a login hands over to a person in one call.
const PARTS: u32 = 4;

/// How a client asks its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By opening an address.
    Url,
    /// By a question to say yes or no to.
    Form,
}

impl Way {
    /// The way of this client; later generations let no server ask by itself.
    fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let asked = context.client_capabilities()?.elicitation?;
        let version = context.protocol_version()?;
        if version >= ProtocolVersion::V_2026_07_28 {
            return None;
        }
        match (asked.url, asked.form) {
            (Some(_), _) => Some(Self::Url),
            // What declares nothing in particular has forms.
            (None, _) => Some(Self::Form),
        }
    }
}

/// One call of a client, and all that is needed to make more for it.
struct Asking<'a, C> {
    caller: &'a C,
    context: &'a RequestContext<RoleServer>,
    stop: &'a CancellationToken,
    way: Way,
}

/// Carries out a call; where it needs a person whom the client can ask, they are asked.
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
                // A client that cannot ask after all shows the link as any other does.
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
            // From where the person has left the page.
            input.url = None;
            input.session = Some(session);
            input.tab = Some(tab);
            response = self.call(input.clone()).await?;
        }
        Ok(response)
    }

    /// Shows the link to the person, and waits until they are done, in the live view or in the client.
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
            // In the live view, or because the time was up.
            ended = &mut waiting => return ended.map(Some),
            said = asked => said,
        };
        let end = match (said, self.way) {
            // Who opens the link says in the live view when they are done.
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

/// The call that waits for the end of a hand-over.
fn wait(session: &str, limit: Option<u64>) -> HandoffInput {
    HandoffInput {
        session: Some(session.to_owned()),
        wait: Some(true),
        timeout_ms: limit,
        ..HandoffInput::default()
    }
}

/// What the person said; none when the client could not ask them.
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
        // By its words: the types of results are told apart by what they happen to hold.
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
