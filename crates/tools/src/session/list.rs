//! `session_list`: lists open and stored sessions.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Holds, Tab};
use crate::{Input, Operation, Output, Reach, Route, Scope, Set, Subject, Time, budget};

/// Lists open and stored sessions.
#[derive(Debug)]
pub struct List;

impl Operation for List {
    const NAME: &'static str = "session_list";
    const TITLE: &'static str = "List browser profiles";
    const SUMMARY: &'static str =
        "List open and stored sessions, with tabs, clients, endpoint and logins.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Store;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[
        Route::get("/v1/sessions"),
        Route::get("/v1/sessions/{session}"),
    ];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    const SETS: &[Set] = &[Set::Default];
    type Input = ListInput;
    type Output = ListOutput;
}

/// Input of `session_list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListInput {
    /// Only this one, with its sites and expiry; no values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only open sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_only: Option<bool>,
}

audited!(ListInput {
    session: Session,
    open_only: Number,
});

impl Input for ListInput {
    fields!(session);
}

/// Output of `session_list`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ListOutput {
    /// Folder of the profile store.
    pub store: String,
    /// Sessions by name.
    pub sessions: Vec<SessionRow>,
}

impl Output for ListOutput {
    fn session(&self) -> Option<&str> {
        None
    }
}

/// One session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionRow {
    /// Profile name.
    pub session: String,
    /// Open, stored or in trouble.
    pub status: SessionStatus,
    /// Profile or ephemeral clone.
    pub kind: Kind,
    /// Preset it was created with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// When it was last used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub last_used: Option<Timestamp>,
    /// Size on disk in bytes.
    pub size_bytes: u64,
    /// Process id of its keeper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keeper_pid: Option<u32>,
    /// Open tabs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tabs: Vec<Tab>,
    /// Since when it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub since: Option<Timestamp>,
    /// Bytes of memory that its browser has for itself (Linux).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The hand-off that waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<WaitingRow>,
    /// Names of the connected clients.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<String>,
    /// Whether the endpoint is open.
    pub endpoint_open: bool,
    /// Sites it was signed in to, and whether it still is, judged by its cookies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logins: Vec<LoginRow>,
    /// What it holds, if the call names one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Holds>,
    /// What is wrong with it, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A hand-off that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitingRow {
    /// The tab.
    pub tab: String,
    /// What they should do.
    pub reason: String,
    /// When it began.
    #[schemars(with = "String")]
    pub since: Timestamp,
}

/// A login of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoginRow {
    /// The site.
    pub site: String,
    /// Whether it still lasts.
    pub signed_in: bool,
    /// When it took place.
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// The state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// A keeper runs it.
    Open,
    /// On disk only.
    Stored,
    /// A keeper is starting or closing, or does not answer.
    Busy,
}

/// The kind of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Persistent.
    Profile,
    /// Ephemeral copy.
    Clone,
}
