//! Folders that only the user can open.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use crate::StoreError;

/// Mode of every folder in the store.
pub(crate) const PRIVATE_DIR: u32 = 0o700;
/// Mode of every file in the store.
pub(crate) const PRIVATE_FILE: u32 = 0o600;

/// Ensures that a folder exists with mode 0700, whatever the umask, and that its parents exist.
///
/// Tightens an existing folder; leaves its parents as they are.
pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    if let Some(parent) = path.parent() {
        make_missing(parent)?;
    }
    match make_one(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        other => other.map_err(StoreError::at(path))?,
    }
    check_real(path)?;
    let metadata = fs::symlink_metadata(path).map_err(StoreError::at(path))?;
    let mode = metadata.permissions().mode() & 0o7777;
    // Only removes permissions: someone may have closed the folder on purpose.
    if mode & !PRIVATE_DIR != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode & PRIVATE_DIR))
            .map_err(StoreError::at(path))?;
    }
    Ok(())
}

/// Refuses a symbolic link or a file in place of one of our folders. A missing one is fine.
pub(crate) fn check_real(path: &Path) -> Result<(), StoreError> {
    let reason = match fs::symlink_metadata(path) {
        Ok(m) if m.is_symlink() => "it is a symbolic link",
        Ok(m) if !m.is_dir() => "it is not a folder",
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(StoreError::at(path)(e)),
    };
    Err(StoreError::Foreign {
        path: path.to_owned(),
        reason: reason.to_owned(),
    })
}

/// Whether two paths name the same file.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::symlink_metadata(a), fs::symlink_metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Folders above the store may be links and keep their mode; only missing ones are created.
fn make_missing(path: &Path) -> Result<(), StoreError> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_missing(parent)?;
    }
    match make_one(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other.map_err(StoreError::at(path)),
    }
}

fn make_one(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(PRIVATE_DIR).create(path)?;
    // The umask may have removed permissions that we need ourselves.
    fs::set_permissions(path, fs::Permissions::from_mode(PRIVATE_DIR))
}
