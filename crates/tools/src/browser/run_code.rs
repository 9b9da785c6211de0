//! `browser_run_code`: runs JavaScript in a page.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Permission, Reach, Route, Scope, Set, Subject, budget};

/// Runs JavaScript in a page.
#[derive(Debug)]
pub struct RunCode;

impl Operation for RunCode {
    const NAME: &'static str = "browser_run_code";
    const TITLE: &'static str = "Run JavaScript in the page";
    const SUMMARY: &'static str = "Run JavaScript in a page; returns JSON. The default world is isolated: it sees the DOM, not the page's variables.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/run-code")];
    const NEEDS: Permission = Permission::Code;
    const SETS: &[Set] = &[Set::Default];
    const UNLISTED: &[&str] = &["reads"];
    type Input = RunCodeInput;
    type Output = RunCodeOutput;
}

/// Input of `browser_run_code`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCodeInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Expression, statements with `return`, or a function: `async (args) => …`. Promises are awaited.
    pub code: String,
    /// Passed to the function, or readable as `args`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<serde_json::Value>,
    /// `isolated` (default) or `main`, where the page can notice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<World>,
    /// `playwright`: in Node, as `async (page, args) => …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<Runner>,
    /// Whether what would change or send anything throws. Set by whoever carries out a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub reads: Option<bool>,
    /// Folder of the Playwright installation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Time budget in milliseconds (default 30000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(RunCodeInput {
    session: Session,
    tab: Shown,
    code: Hidden,
    args: Hidden,
    world: Hidden,
    runner: Shown,
    reads: Number,
    dir: Shown,
    timeout_ms: Number,
});

impl Input for RunCodeInput {
    fields!(session, tab, timeout_ms);

    fn ending(&self) -> Duration {
        match self.runner {
            Some(Runner::Playwright) => budget::PROGRAM_ENDS,
            _ => Duration::ZERO,
        }
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }

    fn work_in(&mut self, folder: &Path) {
        if self.runner == Some(Runner::Playwright) {
            self.dir.get_or_insert_with(|| folder.to_owned());
        }
    }
}

/// The world code runs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum World {
    /// An isolated world of the page.
    #[default]
    Isolated,
    /// The page's own world.
    Main,
}

/// What runs code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// The page.
    #[default]
    Page,
    /// Node, with Playwright connected to the session.
    Playwright,
}

/// Output of `browser_run_code`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunCodeOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The value as JSON; `kind` describes a value that JSON cannot hold.
    pub value: serde_json::Value,
    /// JavaScript type of the value: `string`, `number`, `object`, `undefined`, …
    pub kind: String,
    /// What the program printed, if one ran it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

impl Output for RunCodeOutput {
    about_session!();
}
