//! `browser_find`: finds text on the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Set, Subject};

/// Looks for text on the page.
#[derive(Debug)]
pub struct Find;

impl Operation for Find {
    const NAME: &'static str = "browser_find";
    const TITLE: &'static str = "Find on the page";
    const SUMMARY: &'static str =
        "Find text or a regular expression on the page, with refs and ancestors.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[
        Route::get("/v1/sessions/{session}/find"),
        Route::post("/v1/sessions/{session}/find"),
    ];
    const SETS: &[Set] = &[Set::Default];
    type Input = FindInput;
    type Output = FindOutput;
}

/// Input of `browser_find`; exactly one of `text` and `regex`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FindInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Text; case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Regular expression; `(?i)` ignores case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
    /// Only this part: ref, CSS or XPath.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Maximum matches (default 20).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(FindInput {
    session: Session,
    tab: Shown,
    text: Hidden,
    regex: Hidden,
    scope: Hidden,
    limit: Number,
    timeout_ms: Number,
});

impl Input for FindInput {
    fields!(session, tab, timeout_ms);
}

/// Output of `browser_find`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FindOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The matches, in page order.
    pub matches: Vec<Match>,
    /// The number of all matches.
    pub total: u32,
}

impl Output for FindOutput {
    about_session!();
}

/// A match.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// Its line as in a snapshot.
    pub line: String,
    /// Ref of the node.
    pub r#ref: String,
    /// Its ancestors, outermost first.
    pub path: Vec<String>,
}
