//! A whole profile in one file: `.tar.zst`, for another machine or for later.
//!
//! A manifest comes first, then the meta, the saved state and the browser's data, without caches and
//! without anything that belongs to a running browser. The token is never included. Reading trusts
//! nothing: an entry must be a plain file or folder in a place that an export uses, and both the total
//! size and the compression ratio are limited.

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

/// Compression level: browser data hardly shrinks beyond it.
const LEVEL: i32 = 6;

/// The content of the first entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format of the archive.
    pub format: u64,
    /// The profile's name when it was exported.
    pub name: Name,
    /// When it was exported.
    pub made: Timestamp,
}

/// What was packed or unpacked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The first entry.
    pub manifest: Manifest,
    /// Number of browser files.
    pub files: u64,
    /// Bytes before compression.
    pub bytes: u64,
    /// Links, sockets and other special files that were left out.
    pub left_out: u64,
}

#[cfg(test)]
mod tests;
