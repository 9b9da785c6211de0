//! The head: which lines the log has, and the hash of the last one.
//!
//! It is rewritten with every line, in place and with a single write of fixed length under the log's lock:
//! to replace the file instead would sync the disk twice for each call.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::files;
use crate::{Store, StoreError, dirs};

/// Its length in bytes; the rest is spaces.
const LENGTH: usize = 256;

/// What the head says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The number of the oldest line; those before it made room for newer ones.
    pub(super) first: u64,
    /// The number of the last line; 0 before the first.
    pub(super) last: u64,
    /// The hash of the last line.
    pub(super) hash: String,
    /// Lines that could not be written since; the next one says so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) missed: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The head; `None` if there is none that can be read.
pub(super) fn read(store: &Store) -> Result<Option<Head>, StoreError> {
    let text = files::head_file(store).read()?;
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

/// Opens it for writing; creates it if needed.
pub(super) fn open(store: &Store) -> Result<File, StoreError> {
    let file = files::head_file(store);
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(dirs::PRIVATE_FILE)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(file.path())
        .map_err(StoreError::at(file.path()))
}

/// Writes it; the caller holds the lock.
pub(super) fn write(file: &File, head: &Head) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(head)?;
    text.resize(LENGTH.max(text.len()), b' ');
    file.write_all_at(&text, 0)
}
