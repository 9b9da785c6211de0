//! `workflow_fill_form`: several fields in one call.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::browser::ActNavigation;
use crate::{Input, Operation, Reach, Scope, Time};

/// Fills fields, all of which are found before the first is touched.
#[derive(Debug)]
pub struct FillForm;

impl Operation for FillForm {
    const NAME: &'static str = "workflow_fill_form";
    const TITLE: &'static str = "Fill a form";
    const SUMMARY: &'static str = "Fill fields of the page: text, choices, check boxes, dates, files. All are found before the first is touched; each is reported as it reads back.";
    const REACH: Reach = Reach::Write;
    const SCOPE: Scope = Scope::Opens;
    const TIME: Time = Time::Fixed(60_000);
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
    /// Tab id such as `t3`, or label. Default: the tab used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// In this order.
    pub fields: Vec<FormField>,
    /// Submit at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit: Option<bool>,
    /// Button for it, by name or selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button: Option<String>,
    /// Fill the others when some are not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// Time budget in milliseconds (default 60000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl Input for FillFormInput {
    fields!(session, tab, timeout_ms);

    fn each_path(&mut self, visit: &mut dyn FnMut(&mut PathBuf)) {
        let paths = self.fields.iter_mut().flat_map(|field| &mut field.paths);
        paths.flatten().for_each(visit);
    }
}

/// A field and what it shall hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormField {
    /// Label, name, placeholder, ref or selector.
    pub field: String,
    /// Its role, where several fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Text, number, true or false, choice or choices by label or value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub value: Option<Value>,
    /// Secret to put in instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Absolute paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<PathBuf>>,
}

/// What became of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldState {
    /// It holds what was asked for.
    Filled,
    /// It did before.
    Already,
    /// It holds something else now.
    Differs,
    /// Nothing fits.
    NotFound,
    /// Several fit.
    Ambiguous,
    /// It does not take this.
    Failed,
    /// An earlier one failed, or the page went away.
    Skipped,
}

/// One field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FilledField {
    /// As it was given.
    pub field: String,
    /// What became of it.
    pub state: FieldState,
    /// The element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Read back; passwords as dots, secrets not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What is worth knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What came of submitting.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Submitted {
    /// How: the button, or a key.
    pub by: String,
    /// Anything was seen to change.
    pub changed: bool,
    /// Where it led.
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
    /// Submitting, if it was asked for and took place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<Submitted>,
    /// What the page says of it now: errors of fields, alerts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Where the page is.
    pub url: String,
}
