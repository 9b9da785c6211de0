//! `browser_run_file`: runs a function of a file, with Playwright, on the open session.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunCodeOutput;
use crate::{Input, Operation, Permission, Reach, Route, Scope, Set, Subject, Time, budget};

/// Runs a file with Playwright.
#[derive(Debug)]
pub struct RunFile;

impl Operation for RunFile {
    const NAME: &'static str = "browser_run_file";
    const TITLE: &'static str = "Run a Playwright file";
    const SUMMARY: &'static str = "Call a function of a JavaScript or Python file with Playwright's `(page, args)`; returns JSON and output.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/run-file")];
    const UPLOADS: Option<&'static [&'static str]> = Some(&["path"]);
    const NEEDS: Permission = Permission::Code;
    const TIME: Time = Time::Fixed(60_000);
    const SETS: &[Set] = &[Set::Test];
    type Input = RunFileInput;
    type Output = RunCodeOutput;
}

/// Input of `browser_run_file`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunFileInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// The file: .js, .mjs, .cjs, .ts, .mts or .py.
    pub path: PathBuf,
    /// Exported function. Default: the default export; `main` in Python.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// Passed to the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<serde_json::Value>,
    /// Milliseconds until it is killed (default 60000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(RunFileInput {
    session: Session,
    tab: Shown,
    path: Shown,
    export: Hidden,
    args: Hidden,
    timeout_ms: Number,
});

impl Input for RunFileInput {
    fields!(session, tab, timeout_ms);

    fn ending(&self) -> Duration {
        budget::PROGRAM_ENDS
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        visit(&mut self.path);
    }
}
