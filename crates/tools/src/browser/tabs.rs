//! `browser_tabs`: lists, opens, focuses, closes and labels tabs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Seen, SnapshotMode};
use crate::{Input, Operation, Output, Reach, Route, Scope, Set, Subject, TabUse};

/// Lists and changes tabs.
#[derive(Debug)]
pub struct Tabs;

impl Operation for Tabs {
    const NAME: &'static str = "browser_tabs";
    const TITLE: &'static str = "Tabs";
    const SUMMARY: &'static str =
        "List tabs, or open, focus, close or label one. A label works wherever `tab` does.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[
        Route::get("/v1/sessions/{session}/tabs").with(&[("action", "list")]),
        Route::post("/v1/sessions/{session}/tabs/open").with(&[("action", "open")]),
        Route::post("/v1/sessions/{session}/tabs/focus").with(&[("action", "focus")]),
        Route::post("/v1/sessions/{session}/tabs/label").with(&[("action", "label")]),
        Route::delete("/v1/sessions/{session}/tabs/{tab}").with(&[("action", "close")]),
    ];
    const SETS: &[Set] = &[Set::Default];
    type Input = TabsInput;
    type Output = TabsOutput;
}

/// Input of `browser_tabs`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TabsInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Default `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<TabsAction>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// `open`: the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `open`, `label`: its label; an empty one removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// `focus`, `close`: even if another client's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<bool>,
    /// `open`, `focus`: answer with a snapshot too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotMode>,
    /// Time budget in milliseconds (default 30000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(TabsInput {
    session: Session,
    action: Shown,
    tab: Shown,
    url: Address,
    label: Shown,
    take: Number,
    snapshot: Hidden,
    timeout_ms: Number,
});

impl Input for TabsInput {
    fields!(session, tab, timeout_ms);

    fn goes_to(&self) -> Vec<&str> {
        self.url.as_deref().into_iter().collect()
    }

    fn tab_use(&self) -> Option<TabUse> {
        match self.action.unwrap_or_default() {
            TabsAction::List | TabsAction::Label => Some(TabUse::Leaves),
            TabsAction::Open | TabsAction::Focus | TabsAction::Close => None,
        }
    }

    fn takes_tab(&self) -> bool {
        self.take == Some(true)
    }
}

/// What to do with tabs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TabsAction {
    /// List the open tabs.
    #[default]
    List,
    /// Open a tab.
    Open,
    /// Bring it to the front, and make it the default.
    Focus,
    /// Close it.
    Close,
    /// Label it.
    Label,
}

/// Output of `browser_tabs`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TabsOutput {
    /// The session.
    pub session: String,
    /// The tab acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Open tabs, oldest first.
    pub tabs: Vec<TabRow>,
    /// The page, if a snapshot was asked for and could be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Seen>,
}

impl Output for TabsOutput {
    about_session!();
}

/// An open tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TabRow {
    /// Tab id.
    pub id: String,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// Whether your calls without `tab` use it.
    pub current: bool,
    /// Whether it is one of yours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yours: bool,
    /// The other client that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Tab that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opener: Option<String>,
}
