//! `session_delete`: deletes stored profiles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time};

/// Deletes stored profiles.
#[derive(Debug)]
pub struct Delete;

impl Operation for Delete {
    const NAME: &'static str = "session_delete";
    const TITLE: &'static str = "Delete browser profiles";
    const SUMMARY: &'static str = "Delete stored profiles by name or glob (`*`, `?`), with their logins. Close an open one first.";
    const REACH: Reach = Reach::Destroy;
    const SCOPE: Scope = Scope::Store;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::delete("/v1/profiles/{session}")];
    const TIME: Time = Time::Fixed(120_000);
    type Input = DeleteInput;
    type Output = DeleteOutput;
}

/// Input of `session_delete`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteInput {
    /// Name or glob.
    pub session: String,
    /// Only profiles not opened for this many days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub unused_days: Option<u32>,
    /// Only list what would be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

audited!(DeleteInput {
    session: Session,
    unused_days: Number,
    dry_run: Number,
});

impl Input for DeleteInput {
    fn session(&self) -> Option<&str> {
        Some(&self.session)
    }

    fn set_session(&mut self, name: String) {
        self.session = name;
    }
}

/// Output of `session_delete`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DeleteOutput {
    /// Names deleted, or that would be.
    pub deleted: Vec<String>,
    /// Whether it was a dry run.
    pub dry_run: bool,
}

impl Output for DeleteOutput {
    /// It may have been about several.
    fn session(&self) -> Option<&str> {
        None
    }
}
