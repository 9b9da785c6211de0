//! `browser_run_test`: runs a project's Playwright tests on the open session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Permission, Reach, Route, Scope, Set, Time, budget};

/// Runs Playwright tests.
#[derive(Debug)]
pub struct RunTest;

impl Operation for RunTest {
    const NAME: &'static str = "browser_run_test";
    const TITLE: &'static str = "Run Playwright tests";
    const SUMMARY: &'static str =
        "Run a project's Playwright tests on the session (`szk init` writes the fixture).";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/run-test")];
    const NEEDS: Permission = Permission::Code;
    const TIME: Time = Time::Fixed(300_000);
    const SETS: &[Set] = &[Set::Test];
    type Input = RunTestInput;
    type Output = RunTestOutput;
}

/// Input of `browser_run_test`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct RunTestInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Which tests.
    #[serde(flatten)]
    pub tests: Tests,
}

impl Input for RunTestInput {
    fields!(session, tests.timeout_ms);

    fn ending(&self) -> Duration {
        budget::PROGRAM_ENDS
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.tests.dir.iter_mut().for_each(visit);
    }

    fn work_in(&mut self, folder: &Path) {
        self.tests.dir.get_or_insert_with(|| folder.to_owned());
    }
}

/// Which tests to run, and how.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tests {
    /// The project. Default: the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Files, `file:line`, or parts of names. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Only titles that match this regex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grep: Option<String>,
    /// Only this configured project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Playwright's configuration file. Default: the one in `dir`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PathBuf>,
    /// `{"user": "ada"}` sets `TEST_USER`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, serde_json::Value>>,
    /// Parallel tests. Default: as configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Milliseconds until it is killed (default 300000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Output of `browser_run_test`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunTestOutput {
    /// The session.
    pub session: String,
    /// Whether nothing failed.
    pub ok: bool,
    /// Tests selected.
    pub total: u32,
    /// Tests that went as expected.
    pub passed: u32,
    /// Tests that did not.
    pub failed: u32,
    /// Tests that passed only when retried.
    pub flaky: u32,
    /// Tests that were skipped.
    pub skipped: u32,
    /// Tests that were selected but never began.
    pub not_run: u32,
    /// Duration of the whole run.
    pub duration_ms: u64,
    /// Whether a program joined the session during the run: tests that start a browser of their own do
    /// not.
    pub joined: bool,
    /// The tests, in the order they ended.
    pub tests: Vec<TestRow>,
    /// Errors outside of any test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TestError>,
    /// The output of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The folder of this run: this report as `report.json`, attachments, Playwright's own files.
    pub report: PathBuf,
}

/// A test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestRow {
    /// Titles of its groups and of the test, joined by ` › `.
    pub title: String,
    /// Playwright's project, if it has a name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// `file:line:column`, relative to the project's folder.
    pub location: String,
    /// Its outcome.
    pub outcome: TestOutcome,
    /// Duration of its last attempt.
    pub duration_ms: u64,
    /// Number of retries.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// Errors of the last attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TestError>,
    /// Attachments of the last attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<TestAttachment>,
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// As expected.
    Passed,
    /// Not as expected.
    Failed,
    /// It exceeded its own timeout.
    TimedOut,
    /// It passed, but not at the first attempt.
    Flaky,
    /// Not run.
    Skipped,
    /// Interrupted from outside.
    Interrupted,
}

/// An error of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestError {
    /// Its message.
    pub message: String,
    /// `file:line:column`, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// An attachment of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestAttachment {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The text itself, if it is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

// By reference, because serde requires it.
fn is_zero(number: &u32) -> bool {
    *number == 0
}
