//! Problems that stopped nothing.

use std::fmt;

/// One thing that was not saved, read or restored. Contains names, never values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about, e.g. ``cookie `sid` of `example.com` ``.
    pub about: String,
    /// Why.
    pub reason: String,
}

impl Warning {
    pub(super) fn new(about: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            about: about.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.reason)
    }
}
