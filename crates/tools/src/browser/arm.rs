//! `browser_arm`: prepares the answer to the next prompt of a page.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Prepares the answer to a prompt, or answers one that is open.
#[derive(Debug)]
pub struct Arm;

impl Operation for Arm {
    const NAME: &'static str = "browser_arm";
    const TITLE: &'static str = "Answer the next prompt";
    const SUMMARY: &'static str = "Answer a tab's open dialog or file chooser, or prepare the answer to its next dialog, chooser, download, permission or login prompt, once.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[
        Route::post("/v1/sessions/{session}/arm"),
        Route::post("/v1/sessions/{session}/hooks/dialog").with(&[("event", "dialog")]),
        Route::post("/v1/sessions/{session}/hooks/file-chooser").with(&[("event", "chooser")]),
    ];
    const UPLOADS: Option<&'static [&'static str]> = Some(&["paths"]);
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = ArmInput;
    type Output = ArmOutput;
}

/// Input of `browser_arm`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArmInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// The kind of prompt.
    pub event: ArmEvent,
    /// Accept (default true) or refuse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<bool>,
    /// Dialog: text for a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Chooser: files to choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathBuf>>,
    /// Download: file to save the finished download as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Permission: names such as `geolocation`. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Auth: user name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Auth: password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Seconds it stays armed, 1 to 120 (default 30).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

audited!(ArmInput {
    session: Session,
    tab: Shown,
    event: Hidden,
    accept: Number,
    text: Hidden,
    paths: Shown,
    path: Shown,
    permissions: Hidden,
    username: Hidden,
    password: Hidden,
    seconds: Number,
});

impl Input for ArmInput {
    fields!(session, tab);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        let files = self.paths.iter_mut().flatten();
        files.chain(&mut self.path).for_each(visit);
    }
}

/// A kind of prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArmEvent {
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    Dialog,
    /// A file chooser.
    Chooser,
    /// A download.
    Download,
    /// A permission.
    Permission,
    /// An HTTP login.
    Auth,
}

/// Output of `browser_arm`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ArmOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// Whether it answered a prompt that was already open.
    pub answered: bool,
    /// Seconds it stays armed; 0 once used.
    pub seconds: u64,
}

impl Output for ArmOutput {
    about_session!();
}
