//! What the realms of one browser saw.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What one probe saw in one realm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Something to be held against gold.
    Value(Value),
    /// The probe judged by itself; gold has nothing to say about it.
    Verdict {
        /// Whether this is what an ordinary browser shows.
        ok: bool,
        /// What was looked at.
        #[serde(default)]
        seen: Value,
    },
    /// The probe threw, which must happen in gold as well.
    Error(String),
}

/// Outcomes by name of the check.
pub type Checks = BTreeMap<String, Outcome>;

/// What all realms of one browser saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which browser it was, and how it was started: `gold`, `szk`, `playwright`, …
    pub mode: String,
    /// Checks by name of the realm. `http` is what the server saw of the requests.
    pub realms: BTreeMap<String, Checks>,
}

impl Report {
    /// How many outcomes there are.
    #[must_use]
    pub fn outcomes(&self) -> usize {
        self.realms.values().map(BTreeMap::len).sum()
    }
}
