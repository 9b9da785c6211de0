//! What the realms of one browser saw.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What one probe saw in one realm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Something to compare with gold.
    Value(Value),
    /// The probe judged on its own, without gold.
    Verdict {
        /// Whether this is what an ordinary browser shows.
        ok: bool,
        /// What it examined.
        #[serde(default)]
        seen: Value,
    },
    /// The probe threw, which must then happen in gold as well.
    Error(String),
}

/// Outcomes by name of the check.
pub type Checks = BTreeMap<String, Outcome>;

/// What all realms of one browser saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Which browser it was and how it was started: `gold`, `szk`, `playwright`, …
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

    /// Failed verdicts, which need no gold: realm, check and what was seen.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        let all = self.realms.iter().flat_map(|(realm, checks)| {
            checks
                .iter()
                .map(move |(check, outcome)| (realm.as_str(), check.as_str(), outcome))
        });
        all.filter_map(|(realm, check, outcome)| match outcome {
            Outcome::Verdict { ok: false, seen } => Some((realm, check, seen)),
            _ => None,
        })
    }
}
