//! `session_run_test`: opens or clones a profile, runs tests in it, then saves, keeps or destroys it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::browser::{RunTestOutput, Tests};
use crate::{
    Code, Input, Operation, Output, Permission, Reach, Route, Scope, Set, Subject, Time, budget,
};

/// Runs tests in a session opened for them.
#[derive(Debug)]
pub struct RunTestIn;

impl Operation for RunTestIn {
    const NAME: &'static str = "session_run_test";
    const TITLE: &'static str = "Open, test and close";
    const SUMMARY: &'static str =
        "Open a profile or a clone, go to `url`, run tests as `browser_run_test`, and close it.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Pages;
    const FAILS: &[Code] = &[Code::RecipeStale];
    const ROUTES: &[Route] = &[Route::post("/v1/run-test")];
    const NEEDS: Permission = Permission::Code;
    const TIME: Time = Time::Fixed(300_000);
    const SETS: &[Set] = &[Set::Test];
    type Input = RunTestInInput;
    type Output = RunTestInOutput;
}

/// Input of `session_run_test`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct RunTestInInput {
    /// Profile. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Test in an ephemeral copy of the profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clone: Option<bool>,
    /// Go here first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Afterwards. Default: `destroy` a clone, `keep` an open session, else `save`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Afterwards>,
    /// Which tests.
    #[serde(flatten)]
    pub tests: Tests,
}

audited!(RunTestInInput {
    session: Session,
    clone: Number,
    url: Address,
    then: Shown,
    tests: Flat(Tests::audited),
});

impl Input for RunTestInInput {
    fields!(session, tests.timeout_ms);

    fn goes_to(&self) -> Vec<&str> {
        self.url.as_deref().into_iter().collect()
    }

    fn answer_names_session(&self) -> bool {
        true
    }

    fn ending(&self) -> Duration {
        budget::PROGRAM_ENDS + budget::SESSION_ENDS
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.tests.dir.iter_mut().for_each(visit);
    }

    fn work_in(&mut self, folder: &Path) {
        self.tests.dir.get_or_insert_with(|| folder.to_owned());
    }
}

/// What to do with the session afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Afterwards {
    /// Save and close it.
    Save,
    /// Leave it open.
    Keep,
    /// Delete the clone.
    Destroy,
}

/// Output of `session_run_test`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunTestInOutput {
    /// The tests; `session` is the clone if there is one.
    #[serde(flatten)]
    pub tests: RunTestOutput,
    /// The profile that was cloned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clone_of: Option<String>,
    /// What was done with the session.
    pub then: Afterwards,
    /// Problems while closing it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Output for RunTestInOutput {
    fn session(&self) -> Option<&str> {
        self.tests.session()
    }
}
