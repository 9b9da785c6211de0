//! `session_handoff`: hands the browser to a person.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Hands the browser to a person, and waits until they are done.
#[derive(Debug)]
pub struct Handoff;

impl Operation for Handoff {
    const NAME: &'static str = "session_handoff";
    const TITLE: &'static str = "Hand over to a person";
    const SUMMARY: &'static str = "Ask a person to do what only they can (second factor, captcha, consent). Returns a link to a live view to show them; then call again with `wait`.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/handoff")];
    const TIME: Time = Time::Fixed(budget::HANDOFF_WAIT_MS);
    type Input = HandoffInput;
    type Output = HandoffOutput;
}

/// Input of `session_handoff`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HandoffInput {
    /// Open session. Default: the only open one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab to show first. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// What to do, shown to the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Wait until the person is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<bool>,
    /// End it from here: `done` or `given_up`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<HandoffEnd>,
    /// Milliseconds to wait (default 600000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(HandoffInput {
    session: Session,
    tab: Shown,
    reason: Hidden,
    wait: Number,
    end: Hidden,
    timeout_ms: Number,
});

impl Input for HandoffInput {
    fields!(session, tab, timeout_ms);

    /// When its time is up, the answer says that the person is not done yet.
    fn ending(&self) -> Duration {
        Duration::from_secs(10)
    }
}

/// How a hand-off ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffEnd {
    /// The person did what was asked.
    Done,
    /// They could not, or did not want to.
    GivenUp,
}

/// The state of a hand-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffState {
    /// The person is not done yet.
    Waiting,
    /// They are done.
    Done,
    /// They could not do it, or did not want to.
    GivenUp,
}

/// Who ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffEnder {
    /// The person, in the live view.
    Person,
    /// A call: one with `end`, or one that began another hand-off.
    Caller,
}

/// Output of `session_handoff`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HandoffOutput {
    /// The session.
    pub session: String,
    /// Its state.
    pub state: HandoffState,
    /// The live view, for the person alone: the link controls the browser until they are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the person can also use the browser's own window.
    pub window: bool,
    /// Who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<HandoffEnder>,
    /// The person's note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where the page is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

impl Output for HandoffOutput {
    about_session!();
}
