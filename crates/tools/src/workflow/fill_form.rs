//! `workflow_fill_form`: fills several fields in one call.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::browser::ActNavigation;
use crate::{Code, Input, Operation, Output, Permission, Reach, Route, Scope, Set, Subject, Time};

/// Fills fields after finding all of them.
#[derive(Debug)]
pub struct FillForm;

impl Operation for FillForm {
    const NAME: &'static str = "workflow_fill_form";
    const TITLE: &'static str = "Fill a form";
    const SUMMARY: &'static str = "Fill in text, choices, check boxes, dates, files. Finds all fields before it touches the first; reports each value read back.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const SUBJECT: Subject = Subject::Tabs;
    const FAILS: &[Code] = &[Code::RecipeStale];
    const ROUTES: &[Route] = &[Route::post("/v1/sessions/{session}/fill-form")];
    const UPLOADS: Option<&'static [&'static str]> = Some(&[]);
    const TIME: Time = Time::Fixed(60_000);
    const SETS: &[Set] = &[Set::Default];
    type Input = FillFormInput;
    type Output = FillFormOutput;
}

/// Input of `workflow_fill_form`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FillFormInput {
    /// Session. Default: the only open one, else `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Tab id such as `t3`, or label. Default: your current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// Filled in this order.
    pub fields: Vec<FormField>,
    /// Submit when done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit: Option<bool>,
    /// Submit button, by name or selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<String>,
    /// Fill the rest if some are not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// Time budget (default 60000 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

audited!(FillFormInput {
    session: Session,
    tab: Shown,
    fields: Hidden,
    submit: Number,
    button: Hidden,
    partial: Number,
    timeout_ms: Number,
});

impl Input for FillFormInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        let paths = self.fields.iter_mut().flat_map(|field| &mut field.paths);
        paths.flatten().for_each(visit);
    }

    fn secrets(&self) -> Vec<&str> {
        let fields = self.fields.iter();
        fields.filter_map(|field| field.secret.as_deref()).collect()
    }

    fn needs(&self) -> Vec<Permission> {
        let secret = self.fields.iter().any(|field| field.secret.is_some());
        secret.then_some(Permission::Secrets).into_iter().collect()
    }
}

/// A field and its new value.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormField {
    /// Label, name, placeholder, ref or selector.
    pub field: String,
    /// Its role, if several match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Text, number, true or false, option(s) by label or value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub value: Option<Value>,
    /// Secret to fill in instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Absolute paths of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathBuf>>,
}

/// The outcome for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldState {
    /// It now holds the requested value.
    Filled,
    /// It already held it.
    Already,
    /// It now holds something else.
    Differs,
    /// No field matches.
    NotFound,
    /// Several fields match.
    Ambiguous,
    /// It does not accept the value.
    Failed,
    /// Skipped because an earlier field failed or the page went away.
    Skipped,
}

/// The result for one field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FilledField {
    /// The field, as the caller named it.
    pub field: String,
    /// The outcome.
    pub state: FieldState,
    /// The element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Value read back; passwords as dots, secrets never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The effects of submitting.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Submitted {
    /// How it was submitted: the button, or a key.
    pub by: String,
    /// Whether any change was seen.
    pub changed: bool,
    /// Where it navigated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub navigation: Option<ActNavigation>,
}

/// Output of `workflow_fill_form`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FillFormOutput {
    /// The session.
    pub session: String,
    /// The tab.
    pub tab: String,
    /// Each field.
    pub fields: Vec<FilledField>,
    /// Submitting, if requested and done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<Submitted>,
    /// The page's reaction: errors of fields, alerts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// What else changed since you last looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Address of the page.
    pub url: String,
}

impl Output for FillFormOutput {
    about_session!();
}
