//! `browser_logs`: what happened in the pages.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject};

/// Reads the event log of a session.
#[derive(Debug)]
pub struct Logs;

impl Operation for Logs {
    const NAME: &'static str = "browser_logs";
    const TITLE: &'static str = "Logs";
    const SUMMARY: &'static str = "What happened: console, requests, errors, dialogs, downloads, acts. For what is new, pass the last `next` as `since`.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Tabs;
    const REPORTS_EVENTS: bool = true;
    const ROUTES: &[Route] = &[
        Route::get("/v1/sessions/{session}/logs"),
        Route::post("/v1/sessions/{session}/logs"),
    ];
    type Input = LogsInput;
    type Output = LogsOutput;
}

/// Input of `browser_logs`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogsInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only this tab; `capture`: default your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Only this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<LogKind>,
    /// Start or stop capturing a tab's console, and uncaught errors of later documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<bool>,
    /// Only with this text or `/regular expression/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Type of request (`fetch`, `document`) or level (`error`).
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Outcome: `404`, `4xx`, `200-299`, `failed`, `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only what changed after this cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Maximum entries (default 50).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Headers and bodies of the request with this `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// File to write: `.har`, else JSON lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(LogsInput {
    session: Session,
    tab: Shown,
    kind: Shown,
    capture: Number,
    text: Hidden,
    r#type: Hidden,
    status: Hidden,
    since: Number,
    limit: Number,
    request: Number,
    path: Shown,
    timeout_ms: Number,
});

impl Input for LogsInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }
}

/// A kind of entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogKind {
    /// Console messages.
    Console,
    /// Requests.
    Network,
    /// Failed loads, uncaught errors (`type` exception) and other problems.
    Errors,
    /// Dialogs and file choosers.
    Dialogs,
    /// Downloads.
    Downloads,
    /// What clients did on the pages, and what came of it.
    Acts,
}

/// Output of `browser_logs`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LogsOutput {
    /// The session.
    pub session: String,
    /// Entries, ordered by their last change.
    pub entries: Vec<serde_json::Value>,
    /// How many more match.
    pub more: u64,
    /// Cursor for `since`.
    pub next: u64,
    /// Whether older entries were dropped since the cursor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
    /// The requested request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestDetail>,
    /// File written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

impl Output for LogsOutput {
    about_session!();
}

/// A request with its bodies.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RequestDetail {
    /// The entry.
    pub entry: serde_json::Value,
    /// Request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<String>,
    /// Response body, if Chromium still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_body: Option<String>,
    /// Whether the response body is base64.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub base64: bool,
    /// Why a body is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
