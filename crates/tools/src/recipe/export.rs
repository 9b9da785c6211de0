//! `recipe_export`: writes a recipe for other tools.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Writes a recipe for other tools.
#[derive(Debug)]
pub struct Export;

impl Operation for Export {
    const NAME: &'static str = "recipe_export";
    const TITLE: &'static str = "Export a recipe";
    const SUMMARY: &'static str = "A recipe as a Playwright test or batch steps.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Session;
    const SUBJECT: Subject = Subject::Sessions;
    const ROUTES: &[Route] = &[Route::get("/v1/sessions/{session}/recipes/{name}/export")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = ExportInput;
    type Output = ExportOutput;
}

/// Input of `recipe_export`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its name.
    pub name: String,
    /// Default `typescript`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ExportFormat>,
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

audited!(ExportInput {
    session: Session,
    name: Shown,
    format: Hidden,
    dir: Shown,
});

impl Input for ExportInput {
    fields!(session);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// What a recipe is exported to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// A Playwright test.
    #[default]
    Typescript,
    /// A Playwright program.
    Python,
    /// Steps for `browser_batch`.
    Batch,
}

/// Output of `recipe_export`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExportOutput {
    /// The session.
    pub session: String,
    /// The recipe.
    pub name: String,
    /// The program, test or steps.
    pub text: String,
}

impl Output for ExportOutput {
    about_session!();
}
