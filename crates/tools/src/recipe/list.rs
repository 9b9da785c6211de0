//! `recipe_list`: lists the recipes of the project and of the profile.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Reach, Route, Scope, Time, budget};

/// Lists the recipes of the project and of the profile.
#[derive(Debug)]
pub struct List;

impl Operation for List {
    const NAME: &'static str = "recipe_list";
    const TITLE: &'static str = "List recipes";
    const SUMMARY: &'static str = "Recipes of the project and the profile.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Session;
    const ROUTES: &[Route] = &[Route::get("/v1/sessions/{session}/recipes")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = ListInput;
    type Output = ListOutput;
}

/// Input of `recipe_list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

impl Input for ListInput {
    fields!(session);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// Output of `recipe_list`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ListOutput {
    /// The session.
    pub session: String,
    /// The recipes, by name.
    pub recipes: Vec<RecipeRow>,
    /// Files that are not recipes, with what is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeRow {
    /// Its name.
    pub name: String,
    /// Where it may run.
    pub site: String,
    /// What it does.
    pub about: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Those that may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub optional: Vec<String>,
    /// Those that take the name of a secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Whether its last step shows that it was done.
    #[serde(default)]
    pub checked: bool,
    /// Its file.
    pub path: PathBuf,
}
