//! A whole profile in one file: `.tar.zst`, for another machine or for later.
//!
//! First comes a manifest, then the meta, the saved state and what the browser keeps, without caches and
//! without anything that belongs to a running browser. The token is never in it. Reading trusts
//! nothing: an entry is a plain file or folder at a place that an export can have, and there is a limit
//! to how much comes out of how little.

mod error;
mod limits;
mod read;
mod write;

pub use error::ArchiveError;
pub use limits::Limits;
pub use read::import;
pub use write::export;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Name;

/// The newest format known here.
const FORMAT: u64 = 1;

const MANIFEST: &str = "szk-profile.json";
const META: &str = "meta.json";
const STATE: &str = "state.json";
const LOGINS: &str = "logins.json";
const BROWSER: &str = "profile";

/// Level of compression: browser data hardly gets smaller above it.
const LEVEL: i32 = 6;

/// What the first entry says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format of the archive.
    pub format: u64,
    /// The profile's name when it was exported.
    pub name: Name,
    /// When that was.
    pub made: Timestamp,
}

/// What went in or came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The first entry.
    pub manifest: Manifest,
    /// Files of the browser.
    pub files: u64,
    /// Bytes before compression.
    pub bytes: u64,
    /// Links, sockets and other things that are no plain files and were left out.
    pub left_out: u64,
}

#[cfg(test)]
mod tests;
