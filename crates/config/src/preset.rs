//! Presets: identities that were thought through, by name.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::Value;

use crate::error::Problem;
use crate::layer::Entry;
use crate::nearest::nearest;
use crate::{Identity, Settings};

/// The key that a preset's `scripts` are of.
pub(crate) const SCRIPTS: &str = "stealth.scripts";

/// What people see of a preset before they choose it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PresetInfo {
    /// Its name in files and calls.
    pub name: String,
    /// A name for people.
    pub label: String,
    /// What gives it away, in plain sentences; empty when nothing does.
    pub warnings: Vec<String>,
    /// What it sets.
    pub identity: Identity,
}

/// A preset as the files make it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preset {
    pub(crate) entries: Vec<Entry>,
    pub(crate) warnings: Option<Vec<String>>,
}

impl Preset {
    /// Its entries on top of the init scripts that are in force without it: a preset adds its own.
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

    /// Lays a stronger file's definition over this one, key by key as with every other table.
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

/// The error of naming a preset that is not there.
pub(crate) fn unknown(name: &str, asked_by: &str, presets: &BTreeMap<String, Preset>) -> Problem {
    let names = || presets.keys().map(String::as_str);
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", names().collect::<Vec<_>>().join("`, `")),
    };
    Problem::new(format!("unknown preset `{name}`{asked_by}")).with_hint(Some(hint))
}
