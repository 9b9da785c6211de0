//! `browser_logs`: what happened in the pages.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Reach, Scope};

/// Reads the journal of a session.
#[derive(Debug)]
pub struct Logs;

impl Operation for Logs {
    const NAME: &'static str = "browser_logs";
    const TITLE: &'static str = "Logs";
    const SUMMARY: &'static str = "What happened: console messages, requests, errors, dialogs, downloads. Go on with `since` = `next` of the last answer. Secrets are hidden.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Session;
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
    /// Only this tab; for `capture`: default the tab used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Only this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<LogKind>,
    /// Start or stop collecting a tab's console, and uncaught errors of documents loaded from then on (not
    /// in workers). Off at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture: Option<bool>,
    /// Only entries with this text, or `/regular expression/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only this type of request (`fetch`, `document`) or level (`error`).
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Only requests answered so: `404`, `4xx`, `200-299`, `failed`, `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only what changed after this cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Most entries (default 50).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Headers and bodies of this request, by `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<u64>,
    /// Write what fits into this file instead: `.har`, else lines of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for LogsInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.path.iter_mut().for_each(visit);
    }
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogKind {
    /// Console messages.
    Console,
    /// Requests.
    Network,
    /// Failed loads, uncaught errors (`type` exception) and other troubles.
    Errors,
    /// Dialogs and file choosers.
    Dialogs,
    /// Downloads.
    Downloads,
}

/// Output of `browser_logs`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LogsOutput {
    /// The session.
    pub session: String,
    /// Entries, in the order of their last changes.
    pub entries: Vec<serde_json::Value>,
    /// How many more fit.
    pub more: u64,
    /// Cursor for `since`.
    pub next: u64,
    /// Whether older entries were dropped since the cursor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
    /// The request asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestDetail>,
    /// File written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// A request with its bodies.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RequestDetail {
    /// The entry.
    pub entry: serde_json::Value,
    /// Body sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<String>,
    /// Body received, where Chromium still has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_body: Option<String>,
    /// Whether the received body is base64.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub base64: bool,
    /// Why a body is not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
