//! Presets: named, thought-out identities.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::Value;

use crate::error::Problem;
use crate::layer::Entry;
use crate::nearest::nearest;
use crate::{Identity, Settings};

/// The key that a preset's `scripts` belong to.
pub(crate) const SCRIPTS: &str = "stealth.scripts";

/// What people see of a preset before choosing it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PresetInfo {
    /// Its name in files and calls.
    pub name: String,
    /// A display name for people.
    pub label: String,
    /// What gives it away, in plain sentences; empty if nothing does.
    pub warnings: Vec<String>,
    /// What it sets.
    pub identity: Identity,
}

/// A preset as defined by the files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preset {
    pub(crate) entries: Vec<Entry>,
    pub(crate) warnings: Option<Vec<String>>,
}

impl Preset {
    /// Its entries on top of the init scripts already in force: a preset adds to them.
    pub(crate) fn entries_over(&self, scripts: Option<&Value>) -> Vec<Entry> {
        let add = |entry: &Entry| {
            let mut entry = entry.clone();
            if let (SCRIPTS, Value::Array(own), Some(Value::Array(before))) =
                (entry.key.path, &mut entry.value, scripts)
            {
                own.splice(0..0, before.iter().cloned());
            }
            entry
        };
        self.entries.iter().map(add).collect()
    }

    /// Merges a stronger file's definition over this one, key by key, like any other table.
    pub(crate) fn overlay(&mut self, stronger: Self) {
        let replaced = |key: &str| stronger.entries.iter().any(|entry| entry.key.path == key);
        self.entries.retain(|entry| !replaced(entry.key.path));
        self.entries.extend(stronger.entries);
        self.warnings = stronger.warnings.or(self.warnings.take());
    }

    pub(crate) fn info(&self, name: &str) -> PresetInfo {
        let mut settings = Settings::default();
        for entry in &self.entries {
            // Values were checked when the file was read; a bad one never became an entry.
            let _ = entry.apply(&mut settings);
        }
        let identity = settings.identity;
        PresetInfo {
            name: name.to_owned(),
            label: identity.label.clone().unwrap_or_else(|| name.to_owned()),
            warnings: self.warnings.clone().unwrap_or_default(),
            identity,
        }
    }
}

/// The error for naming a preset that does not exist.
pub(crate) fn unknown(name: &str, asked_by: &str, presets: &BTreeMap<String, Preset>) -> Problem {
    let names = || presets.keys().map(String::as_str);
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", names().collect::<Vec<_>>().join("`, `")),
    };
    Problem::new(format!("unknown preset `{name}`{asked_by}")).with_hint(Some(hint))
}
