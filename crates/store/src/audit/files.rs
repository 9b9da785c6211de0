//! Where the log is: `.audit/` in the store, files named after the number of their first line. The clock
//! is not in the names, because it can go back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{SharedFile, Store, StoreError};

/// Most bytes of a file that are read; the writer begins a new file long before.
const LONGEST: u64 = 256 << 20;

/// A file of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogFile {
    /// The number of its first line.
    pub(super) first: u64,
    pub(super) path: PathBuf,
}

/// The folder of the log. Its name begins with a dot, so it is never a profile's.
pub(super) fn folder(store: &Store) -> PathBuf {
    store.root().join(".audit")
}

/// The head, and the lock of the whole log.
pub(super) fn head_file(store: &Store) -> SharedFile {
    SharedFile::of(store, ".audit/head", 4096)
}

/// Where the head is.
pub(super) fn head_path(store: &Store) -> PathBuf {
    folder(store).join("head")
}

/// The file whose first line has this number.
pub(super) fn path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:012}.jsonl"))
}

/// All files, in order.
pub(super) fn list(folder: &Path) -> Result<Vec<LogFile>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(StoreError::at(folder)(e)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(StoreError::at(folder))?.path();
        let named = path.file_name().and_then(|name| name.to_str());
        let first = named.and_then(|name| name.strip_suffix(".jsonl")?.parse().ok());
        if let Some(first) = first {
            files.push(LogFile { first, path });
        }
    }
    files.sort_by_key(|file| file.first);
    Ok(files)
}

/// The content of a file; empty if it has been removed because the log is full.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    match szk_files::read_own(path, LONGEST) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(StoreError::at(path)),
    }
}
