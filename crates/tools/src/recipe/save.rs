//! `recipe_save`: makes a recipe of what was done.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Reach, Route, Scope, Time, budget};

/// Makes a recipe of what was done.
#[derive(Debug)]
pub struct Save;

impl Operation for Save {
    const NAME: &'static str = "recipe_save";
    const TITLE: &'static str = "Save a recipe";
    const SUMMARY: &'static str = "Make a recipe of the acts in a tab.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/recipes/{name}")];
    const UNLISTED: &[&str] = &["dir", "values", "whole"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = SaveInput;
    type Output = SaveOutput;
}

/// Input of `recipe_save`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// `id` of the first act. Default: the last navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Last act.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// Save this TOML instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether parameters keep what was typed as their defaults. Set by whoever carries out a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub values: Option<bool>,
    /// Refuse to leave anything out, in whatever tab it was done. Set by whoever carries out a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub whole: Option<bool>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

impl Input for SaveInput {
    fields!(session, tab);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// Output of `recipe_save`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SaveOutput {
    /// The session.
    pub session: String,
    /// The recipe.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
    /// What was left out, and whether nothing shows at its end that it was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
