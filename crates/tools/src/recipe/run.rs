//! `recipe_run`: replays a recipe.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::browser::ActDialog;
use crate::{Input, Operation, Reach, Route, Scope, Time};

/// Replays a recipe.
#[derive(Debug)]
pub struct Run;

impl Operation for Run {
    const NAME: &'static str = "recipe_run";
    const TITLE: &'static str = "Run a recipe";
    const SUMMARY: &'static str = "Replay it. After RECIPE_STALE, call again with the right `ref`.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/recipes/{name}/run")];
    const TIME: Time = Time::Fixed(300_000);
    const UNLISTED: &[&str] = &["dir", "no_secrets", "only_secrets"];
    type Input = RunInput;
    type Output = RunOutput;
}

/// Input of `recipe_run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Its name.
    pub name: String,
    /// Values by name; names of secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, String>>,
    /// Go on where it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<bool>,
    /// The element it stopped at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// Milliseconds (default 300000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
    /// Refuse a recipe that fills in secrets. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub no_secrets: Option<bool>,
    /// Names of the secrets that may be filled in. Default: all. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub only_secrets: Option<Vec<String>>,
}

impl Input for RunInput {
    fields!(session, tab, timeout_ms);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }

    fn without_secrets(&mut self) {
        self.no_secrets = Some(true);
    }
}

/// Output of `recipe_run`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The recipe.
    pub name: String,
    /// What was done, a line for each step.
    pub steps: Vec<String>,
    /// What it read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Value>,
    /// Dialogs that it left open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dialogs: Vec<ActDialog>,
    /// What was healed, as a diff of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healed: Option<String>,
}
