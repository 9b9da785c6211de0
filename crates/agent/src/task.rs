//! What a task is, and what comes of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Limits;

/// What is to be done.
#[derive(Debug, Clone, Default)]
pub struct Task {
    /// In words.
    pub words: String,
    /// The session to work in.
    pub session: Option<String>,
    /// Where it may go, as patterns; none means the origin of the current tab.
    pub origins: Vec<String>,
    /// What the result has to look like, as a JSON schema.
    pub schema: Option<Value>,
    /// Secrets that it may log in with, by name.
    pub secrets: Vec<String>,
    /// How far it may go.
    pub limits: Limits,
    /// Whether a judge looks at what was done.
    pub judge: bool,
    /// The recipe that it becomes.
    pub save: Option<String>,
    /// The recipe that is replayed before a model is asked.
    pub recipe: Recipe,
    /// Whether the model may write code that reads pages.
    pub code: bool,
    /// Kinds of steps of `[policy] approve` that the person has agreed to beforehand.
    pub approve: Vec<String>,
}

impl Task {
    /// Whether the model may write code. Not if it may fill in secrets, which code could read in fields.
    pub(crate) fn writes_code(&self) -> bool {
        self.code && self.secrets.is_empty()
    }
}

/// The recipe of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Recipe {
    /// The one that was saved after a task in the same words, if there is one.
    #[default]
    Known,
    /// This one, with these values.
    Named(String, BTreeMap<String, String>),
    /// None: the model does it all.
    None,
}

/// What came of a task.
pub use szk_tools::agent::RunOutput as Outcome;
