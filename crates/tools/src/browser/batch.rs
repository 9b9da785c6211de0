//! `browser_batch`: several operations in one call.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Call, Failure, Input, Operation, Permission, Reach, Route, Scope, TabUse, Time};

/// Runs several operations one after the other.
#[derive(Debug)]
pub struct Batch;

impl Operation for Batch {
    const NAME: &'static str = "browser_batch";
    const TITLE: &'static str = "Several operations";
    const SUMMARY: &'static str = "Run several browser_* operations in one call, with conditions and repeats. Stops at the first error, and after a step other than browser_navigate that led to another document, unless the next one waits for a `url`.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/batch")];
    const UPLOADS: Option<&'static [&'static str]> = Some(&[]);
    const TIME: Time = Time::Fixed(60_000);
    type Input = BatchInput;
    type Output = BatchOutput;
}

/// Input of `browser_batch`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab for steps that name none. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// At most 50.
    pub steps: Vec<BatchStep>,
    /// Continue after other navigations than `browser_navigate`'s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_navigation: Option<bool>,
    /// Time budget for all steps (default 60000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for BatchInput {
    fields!(session, tab, timeout_ms);

    fn tab_use(&self) -> Option<TabUse> {
        Some(TabUse::Leaves)
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        for step in &mut self.steps {
            step.change(|input| input.each_path(visit));
        }
    }

    fn needs(&self) -> Vec<Permission> {
        let calls = self.steps.iter().filter_map(|step| step.call().ok());
        calls.flat_map(|call| call.permissions()).collect()
    }

    fn work_in(&mut self, folder: &Path) {
        for step in &mut self.steps {
            step.change(|input| input.work_in(folder));
        }
    }

    fn without_secrets(&mut self) {
        for step in &mut self.steps {
            step.change(|input| input.without_secrets());
        }
    }
}

/// A step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchStep {
    /// Operation such as `browser_navigate`.
    pub tool: String,
    /// Its input.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub input: serde_json::Map<String, Value>,
    /// Its name in the answer. Default: the operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only if the page shows this text or `/regex/`, which the next two take as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_text: Option<String>,
    /// Not if the page shows this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_text: Option<String>,
    /// Repeat until the page shows this text, at most `repeat` times (default 20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_text: Option<String>,
    /// Times to do it, at most 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
}

impl BatchStep {
    /// What the answer calls it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tool)
    }

    /// The call that the step makes.
    ///
    /// # Errors
    /// See [`Call::decode`].
    pub fn call(&self) -> Result<Call, Failure> {
        Call::decode(&self.tool, Value::Object(self.input.clone()))
    }

    /// Changes the call's input. Leaves a step that does not decode alone: running it reports why.
    fn change(&mut self, change: impl FnOnce(&mut dyn Input)) {
        if let Ok(mut call) = self.call() {
            change(call.input_mut());
            if let Ok(Value::Object(input)) = call.encode() {
                self.input = input;
            }
        }
    }
}

/// Output of `browser_batch`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BatchOutput {
    /// The session.
    pub session: String,
    /// Steps run, in order; the last one may have failed.
    pub steps: Vec<BatchDone>,
    /// What the acts changed, in each tab: `+` new lines, `~` changed, `-` gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Why it stopped early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The result of a step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct BatchDone {
    /// The operation.
    pub tool: String,
    /// The name that the step was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How often it was carried out, if not once; 0 for a step that was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// The data of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}
