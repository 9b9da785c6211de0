//! What a person has to approve.

use serde::{Deserialize, Serialize};

/// A kind of step that waits for a person, if `[policy] approve` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeedsApproval {
    /// Running code: JavaScript, programs and tests.
    Code,
    /// Giving local files to a page.
    Upload,
    /// Signing in.
    Login,
}

impl NeedsApproval {
    /// The word in the configuration.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Upload => "upload",
            Self::Login => "login",
        }
    }
}
