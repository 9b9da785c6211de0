//! `recipe_record`: records everything that is done in a session from now on.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, TabUse, Time, budget};

/// Records everything that is done in a session from now on.
#[derive(Debug)]
pub struct Record;

impl Operation for Record {
    const NAME: &'static str = "recipe_record";
    const TITLE: &'static str = "Record a recipe";
    const SUMMARY: &'static str =
        "Record what all clients and the person do in the session, until `stop` saves it.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/recording")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = RecordInput;
    type Output = RecordOutput;
}

/// Input of `recipe_record`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What to do.
    pub action: RecordAction,
    /// Name of the recipe; at the latest with `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

audited!(RecordInput {
    session: Session,
    action: Shown,
    name: Shown,
    about: Hidden,
    dir: Shown,
});

impl Input for RecordInput {
    fields!(session);

    fn tab_use(&self) -> Option<TabUse> {
        Some(TabUse::Leaves)
    }

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// An action of `recipe_record`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordAction {
    /// Begin.
    Start,
    /// End, and save the recipe.
    Stop,
    /// End without a recipe.
    Cancel,
}

/// Output of `recipe_record`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RecordOutput {
    /// The session.
    pub session: String,
    /// Whether it records now.
    pub recording: bool,
    /// How many acts were recorded.
    #[serde(default)]
    pub acts: usize,
    /// The recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Output for RecordOutput {
    about_session!();
}
