//! Asks the user through the client, if the client can: calls that need a person then continue on
//! their own.
//!
//! If a client declares `elicitation`, `session_handoff` and a `workflow_login` that needs a person
//! show the user the link to the live view and wait for them. Up to 2025-11-25, and inside of tasks, the
//! server asks while the call waits ([`inline`]). From 2026-07-28 on a call returns with the question,
//! and the client calls again with the answer ([`rounds`]); what it has to bring back is sealed
//! ([`state`]). Whatever a form collects passes through the model, so no form asks for a code or a
//! password: the user enters those in the page.

mod approve;
pub(crate) mod inline;
pub(crate) mod rounds;
pub(crate) mod state;

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitationAction};
use rmcp::service::RequestContext;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use szk_tools::session::{HandoffEnd, HandoffInput};

/// How often one login call may hand off to a person.
const PARTS: u32 = 4;

/// Shown to the user when a login needs them.
const LOGIN: &str = "Signing in needs you: a second factor, a captcha or the like.";

/// Shown to the user when a hand-off names no reason.
const HANDOFF: &str = "Please take over the browser.";

/// How a client asks its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    /// By opening a URL.
    Url,
    /// With a yes-or-no question.
    Form,
}

/// The person behind a client that can ask one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Person {
    /// How they are shown a live view.
    way: Way,
    /// Whether they can be asked a yes-or-no question.
    forms: bool,
}

impl Person {
    /// Whom this client asks, if it can.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let asked = context.client_capabilities()?.elicitation?;
        Some(match (asked.url, asked.form) {
            (Some(_), form) => Self {
                way: Way::Url,
                forms: form.is_some(),
            },
            // A client that declares nothing specific supports forms.
            (None, _) => Self {
                way: Way::Form,
                forms: true,
            },
        })
    }
}

impl Way {
    /// The question to the user.
    fn question(self, reason: &str, url: &str) -> Option<ElicitRequest> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let params = match self {
            Self::Url => ElicitRequestParams::UrlElicitationParams {
                meta: None,
                message: reason.to_owned(),
                url: url.to_owned(),
                elicitation_id: format!("handoff-{}", NUMBER.fetch_add(1, Ordering::Relaxed)),
            },
            Self::Form => ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: format!("{reason}\nOpen {url} and accept here when you are done."),
                requested_schema: serde_json::from_value(
                    json!({"type": "object", "properties": {}}),
                )
                .ok()?,
            },
        };
        Some(ElicitRequest::new(params))
    }
}

/// Whether a hand-off asks a person, and does not only end one or wait for one.
fn begins(input: &HandoffInput) -> bool {
    let begins = input.reason.is_some() || input.tab.is_some();
    input.end.is_none() && (begins || input.wait != Some(true))
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

/// The call that ends a hand-off.
fn end(session: &str, end: HandoffEnd) -> HandoffInput {
    HandoffInput {
        session: Some(session.to_owned()),
        end: Some(end),
        ..HandoffInput::default()
    }
}

/// The user's response, by its word: the result types are distinguished by the fields they happen to
/// have.
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
