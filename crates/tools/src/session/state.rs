//! `session_state`: exports and imports storage state.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Permission, Reach, Route, Scope, Subject, Time};

/// Exports or imports storage state in Playwright's format.
#[derive(Debug)]
pub struct State;

impl Operation for State {
    const NAME: &'static str = "session_state";
    const TITLE: &'static str = "Export or import logins";
    const SUMMARY: &'static str = "Export a session's logins (cookies, localStorage, IndexedDB) to a file, or import them, also into a new profile.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/state")];
    const UPLOADS: Option<&'static [&'static str]> = Some(&["path"]);
    const NEEDS: Permission = Permission::Secrets;
    const TIME: Time = Time::Fixed(120_000);
    type Input = StateInput;
    type Output = StateOutput;
}

/// Input of `session_state`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// `export` or `import`.
    pub action: StateAction,
    /// File: Playwright storage state; import also takes JSON cookies, `cookies.txt` or cURL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Import: the content; also a header `Cookie: a=b` (with `domain`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Import: an installed browser to read from. Needs consent given at a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Export: answer with the values, too. They are secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<bool>,
    /// Only this domain and its subdomains; `*` for all (`from` needs it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

audited!(StateInput {
    session: Session,
    action: Shown,
    path: Shown,
    text: Hidden,
    from: Hidden,
    values: Number,
    domain: Hidden,
});

impl Input for StateInput {
    fields!(session);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }

    fn makes_profile(&self) -> bool {
        self.action == StateAction::Import
    }
}

/// A direction of `session_state`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StateAction {
    /// From the session to a file.
    Export,
    /// From a file into the session.
    Import,
}

/// Output of `session_state`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StateOutput {
    /// The session.
    pub session: String,
    /// Whether the import created the profile.
    #[serde(default, skip_serializing_if = "is_false")]
    pub created: bool,
    /// What was moved.
    pub counts: StateCounts,
    /// File written or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The state itself, if `values` was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<serde_json::Value>,
    /// Entries that could not be moved, one line each, without their values; and if the session stayed open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Output for StateOutput {
    about_session!();
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Counts of what a state holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateCounts {
    /// Cookies.
    pub cookies: u32,
    /// Origins with storage.
    pub origins: u32,
    /// localStorage entries.
    pub local_storage: u32,
    /// IndexedDB databases.
    pub indexed_db: u32,
}
