//! `browser_navigate`: goes to a URL, or through the history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seen, SnapshotMode};
use crate::{Input, Operation, Output, Reach, Route, Scope, Set, Subject};

/// Goes to a URL, back or forward, or reloads.
#[derive(Debug)]
pub struct Navigate;

impl Operation for Navigate {
    const NAME: &'static str = "browser_navigate";
    const TITLE: &'static str = "Go to a page";
    const SUMMARY: &'static str =
        "Go to a URL, back or forward, or reload. A page that fails to load is an error.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/navigate")];
    const SETS: &[Set] = &[Set::Default];
    type Input = NavigateInput;
    type Output = NavigateOutput;
}

/// Input of `browser_navigate`; exactly one of `url` and `history`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NavigateInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id or label; `new` opens one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Address; `https://` may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Move in the tab's history instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// Default `load`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// Answer with a snapshot too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotMode>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(NavigateInput {
    session: Session,
    tab: Shown,
    url: Address,
    history: Shown,
    wait: Shown,
    snapshot: Hidden,
    timeout_ms: Number,
});

impl Input for NavigateInput {
    fields!(session, tab, timeout_ms);

    fn goes_to(&self) -> Vec<&str> {
        self.url.as_deref().into_iter().collect()
    }
}

/// A move through the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum History {
    /// Back one page.
    Back,
    /// Forward one page.
    Forward,
    /// Reload the page.
    Reload,
}

/// When a navigation counts as finished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wait {
    /// The new document has replaced the old one.
    Commit,
    /// Its HTML is parsed (`DOMContentLoaded`).
    Domcontentloaded,
    /// The document and everything it embeds are loaded.
    #[default]
    Load,
    /// No request has been in flight for half a second.
    Networkidle,
}

/// Output of `browser_navigate`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NavigateOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The final address, after redirects.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// HTTP status of the document, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// `false` if nothing was loaded: same document, back/forward cache, or a download.
    pub loaded: bool,
    /// The page, if a snapshot was asked for and could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Seen>,
}

impl Output for NavigateOutput {
    about_session!();
}
