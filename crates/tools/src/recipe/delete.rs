//! `recipe_delete`: deletes a recipe.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Deletes a recipe.
#[derive(Debug)]
pub struct Delete;

impl Operation for Delete {
    const NAME: &'static str = "recipe_delete";
    const TITLE: &'static str = "Delete a recipe";
    const SUMMARY: &'static str = "Delete a recipe and its revisions.";
    const REACH: Reach = Reach::Destroy;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::delete("/v1/sessions/{session}/recipes/{name}")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = DeleteInput;
    type Output = DeleteOutput;
}

/// Input of `recipe_delete`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its name.
    pub name: String,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

audited!(DeleteInput {
    session: Session,
    name: Shown,
    dir: Shown,
});

impl Input for DeleteInput {
    fields!(session);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// Output of `recipe_delete`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DeleteOutput {
    /// The session.
    pub session: String,
    /// The recipe.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

impl Output for DeleteOutput {
    about_session!();
}
