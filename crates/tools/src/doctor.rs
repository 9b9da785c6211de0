//! The request and the report of `szk doctor`; `keeper` makes the checks, the terminal renders them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What to examine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorAsk {
    /// Profile store to examine; by default the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
    /// Whether to compare what a page sees with the same browser started by hand.
    #[serde(default)]
    pub stealth: bool,
    /// Where to write the whole comparison as an HTML page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
}

/// The outcome of all checks, in the order they ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorReport {
    /// One entry per thing examined.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What it examined, e.g. `chromium`.
    pub name: String,
    /// Its outcome.
    pub status: CheckStatus,
    /// What it found, with the literal values.
    pub detail: String,
    /// The command that fixes it, ready to paste into a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// szk works, but not as well as it could.
    Warn,
    /// szk does not work until this is fixed.
    Fail,
}

impl DoctorReport {
    /// How many checks ended with `status`.
    #[must_use]
    pub fn count(&self, status: CheckStatus) -> usize {
        let ended = |check: &&Check| check.status == status;
        self.checks.iter().filter(ended).count()
    }
}

impl Check {
    /// A check that passed.
    pub fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Ok, detail)
    }

    /// A check that found something to improve.
    pub fn warn(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Warn, detail)
    }

    /// A check that found a reason why szk cannot work.
    pub fn fail(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, CheckStatus::Fail, detail)
    }

    /// Adds the command that fixes it.
    #[must_use]
    pub fn fix(mut self, command: impl Into<String>) -> Self {
        self.fix = Some(command.into());
        self
    }

    fn new(name: impl Into<String>, status: CheckStatus, detail: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            status,
            detail: detail.into(),
            fix: None,
        }
    }
}
