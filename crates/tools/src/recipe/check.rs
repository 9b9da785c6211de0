//! `recipe_check`: finds the elements of a recipe without touching anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Code, Input, Operation, Output, Reach, Route, Scope, Subject, Time, budget};

/// Finds the elements of a recipe without touching anything.
#[derive(Debug)]
pub struct Check;

impl Operation for Check {
    const NAME: &'static str = "recipe_check";
    const TITLE: &'static str = "Check a recipe";
    const SUMMARY: &'static str = "Find a recipe's elements on the page; touches nothing.";
    const REACH: Reach = Reach::Read;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Pages;
    const FAILS: &[Code] = &[Code::RecipeStale];
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/recipes/{name}/check")];
    const UNLISTED: &[&str] = &["dir"];
    const TIME: Time = Time::Fixed(budget::USUAL_MS);
    type Input = CheckInput;
    type Output = CheckOutput;
}

/// Input of `recipe_check`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckInput {
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
    /// Folder of the project, whose `recipes` are meant too. Set by whoever calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub dir: Option<PathBuf>,
}

audited!(CheckInput {
    session: Session,
    tab: Shown,
    name: Shown,
    params: Hidden,
    dir: Shown,
});

impl Input for CheckInput {
    fields!(session, tab);

    fn work_in(&mut self, folder: &Path) {
        self.dir.get_or_insert_with(|| folder.to_owned());
    }

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        self.dir.iter_mut().for_each(visit);
    }
}

/// Output of `recipe_check`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CheckOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// The steps that have an element.
    pub elements: Vec<CheckRow>,
}

impl Output for CheckOutput {
    about_session!();
}

/// A step and its element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRow {
    /// The step.
    pub step: String,
    /// Ref of its element, if there is one for certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// Elements that it may be, if there is none for certain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}
