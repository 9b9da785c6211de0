//! What can go wrong in the store. Each I/O error carries its path.

use std::io;
use std::path::{Path, PathBuf};

use crate::Name;

/// Why a file or folder of the store is unusable.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("could not use `{}`: {source}", path.display())]
    Io {
        /// The file or folder, never a temporary one.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The store is on a read-only file system; use another store.
    #[error("`{}` is on a read-only file system", path.display())]
    ReadOnly {
        /// The file or folder that could not be written.
        path: PathBuf,
    },
    /// One of our files is unreadable; see [`crate::Profile::recover_meta`].
    #[error("`{}` is damaged: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer version of this program wrote the file.
    #[error("`{}` has format {found}, this version knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format it claims.
        found: u64,
        /// The newest format known here.
        known: u64,
    },
    /// Something foreign, such as a symbolic link out of the store, is where one of the store's
    /// folders should be. szk never follows it.
    #[error("`{}` cannot be used by the store: {reason}", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
}

impl StoreError {
    /// The file or folder the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::ReadOnly { path }
            | Self::Corrupt { path, .. }
            | Self::Newer { path, .. }
            | Self::Foreign { path, .. } => path,
        }
    }

    /// The system's kind of error, if there is one (`StorageFull`, `PermissionDenied`, …).
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::ReadOnly { .. } => Some(io::ErrorKind::ReadOnlyFilesystem),
            Self::Corrupt { .. } | Self::Newer { .. } | Self::Foreign { .. } => None,
        }
    }

    /// Something at `path` is not one of our files.
    pub(crate) fn unusable(path: &Path, error: &io::Error) -> Self {
        Self::Corrupt {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }

    /// For `map_err`: attaches the path to an I/O error.
    pub(crate) fn at<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> Self + '_ {
        move |source| {
            let (path, source) = (path.to_owned(), source.into());
            if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
                Self::ReadOnly { path }
            } else {
                Self::Io { path, source }
            }
        }
    }
}

/// Why a profile could not be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process runs, deletes or copies the profile. It is not ours to take.
    #[error("profile `{name}` is in use by another process")]
    Held {
        /// The profile.
        name: Name,
    },
    /// The lock file was unusable; `NotFound` means there is no such profile.
    #[error(transparent)]
    Io(#[from] StoreError),
}
