//! `recipe_show`: shows a recipe.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Shows a recipe.
#[derive(Debug)]
pub struct Show;

impl Operation for Show {
    const NAME: &'static str = "recipe_show";
    const TITLE: &'static str = "Show a recipe";
    const SUMMARY: &'static str = "The file of a recipe.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::get("/v1/sessions/{session}/recipes/{name}")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = ShowInput;
    type Output = ShowOutput;
}

/// Input of `recipe_show`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowInput {
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

audited!(ShowInput {
    session: Session,
    name: Shown,
    dir: Shown,
});

impl Input for ShowInput {
    fields!(session);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// Output of `recipe_show`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ShowOutput {
    /// The session.
    pub session: String,
    /// The recipe.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

impl Output for ShowOutput {
    about_session!();
}
