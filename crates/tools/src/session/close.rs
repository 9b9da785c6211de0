//! `session_close`: saves and closes a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Reach, Route, Scope, Set, Time, budget};

/// Saves and closes a session.
#[derive(Debug)]
pub struct Close;

impl Operation for Close {
    const NAME: &'static str = "session_close";
    const TITLE: &'static str = "Close a browser profile";
    const SUMMARY: &'static str = "Save a session and close its browser for all clients. A clone is deleted, unless `keep_as` keeps it.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const ROUTES: &[Route] = &[
        Route::delete("/v1/sessions/{session}"),
        Route::post("/v1/sessions/{session}/stop"),
    ];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    const SETS: &[Set] = &[Set::Default];
    type Input = CloseInput;
    type Output = CloseOutput;
}

/// Input of `session_close`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CloseInput {
    /// Open session. Default: the only open one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// `false` drops a clone's changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save: Option<bool>,
    /// Keep a clone as a profile of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_as: Option<String>,
    /// Close it even if others use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for CloseInput {
    fields!(session, timeout_ms);

    fn new_profile(&self) -> Option<&str> {
        self.keep_as.as_deref()
    }
}

/// Output of `session_close`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CloseOutput {
    /// The session that was closed.
    pub session: String,
    /// Whether its state was saved.
    pub saved: bool,
    /// The profile that a clone became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_as: Option<String>,
    /// What could not be saved, and other problems while closing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
