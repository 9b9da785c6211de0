//! What a session may do: `[policy]`.
//!
//! Callers say what they want to do, as a [`Action`]; [`Bounds::check`] alone says yes or no.
//! Operations, the endpoint, page requests and archives all ask there.

mod address;
mod approve;
mod bounds;
mod origin;
mod paths;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use address::{Address, Leads};
pub use approve::{NeedsApproval, stays_within};
pub use bounds::{Action, Bounds, Denied};
pub use origin::OriginPattern;

/// The limits of a session, as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Only these origins; `None` means all.
    pub allowed_origins: Option<Vec<OriginPattern>>,
    /// Never these, even if otherwise allowed.
    pub denied_origins: Vec<OriginPattern>,
    /// Whether pages may be at `file:` addresses. `None`: only at files that a person opens in a
    /// terminal.
    pub file_urls: Option<bool>,
    /// Only files at or below these paths may be read; `None` means all.
    pub read: Option<Vec<PathBuf>>,
    /// The same for writing.
    pub write: Option<Vec<PathBuf>>,
    /// Whether files may be downloaded.
    pub downloads: bool,
    /// Whether callers may run JavaScript.
    pub run_code: bool,
    /// Whether that may run in the page's own world.
    pub main_world: bool,
    /// Whether callers may run programs, which have the user's rights. `None`: yes, unless files or
    /// exports are limited.
    pub programs: Option<bool>,
    /// Whether cookies and storage may be exported.
    pub export_cookies: bool,
    /// What waits for a person's approval.
    pub approve: Vec<NeedsApproval>,
    /// Seconds (5 to 3600) that a person has for it.
    pub approve_seconds: u64,
}

impl Policy {
    /// A policy that limits nothing but `file:` addresses, which is what an empty `[policy]` means.
    #[must_use]
    pub fn open() -> Self {
        Self {
            downloads: true,
            run_code: true,
            main_world: true,
            export_cookies: true,
            ..Self::default()
        }
    }

    /// Whether requests need checking.
    #[must_use]
    pub fn limits_origins(&self) -> bool {
        self.allowed_origins.is_some() || !self.denied_origins.is_empty()
    }

    /// Whether the configuration limits anything. If so, whatever could get around a limit is refused.
    #[must_use]
    pub fn limits_anything(&self) -> bool {
        let open = Self {
            // Allowing more than the default is no limit.
            file_urls: self.file_urls.filter(|on| *on),
            programs: self.programs.filter(|on| *on),
            // What a person may approve is not forbidden.
            approve: self.approve.clone(),
            approve_seconds: self.approve_seconds,
            ..Self::open()
        };
        *self != open
    }
}
