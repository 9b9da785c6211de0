//! What can go wrong in the store. Each I/O error carries the path it is about.

use std::io;
use std::path::{Path, PathBuf};

use crate::Name;

/// Why a file or folder of the store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("could not use `{}`: {source}", path.display())]
    Io {
        /// The file or folder, never a temporary one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store lies on a file system mounted read-only; another store is needed.
    #[error("`{}` is on a read-only file system", path.display())]
    ReadOnly {
        /// The file or folder that was to be written.
        path: PathBuf,
    },
    /// A file of ours cannot be understood; see [`crate::Profile::recover_meta`].
    #[error("`{}` is damaged: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file was written by a newer version of this program.
    #[error("`{}` has format {found}, this version knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format it says it has.
        found: u64,
        /// The newest format known here.
        known: u64,
    },
    /// Something that is not ours stands where a folder of the store should be,
    /// such as a symbolic link out of the store. It is never followed.
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

    /// The system's kind of error, where there is one (`StorageFull`, `PermissionDenied`, …).
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            Self::ReadOnly { .. } => Some(io::ErrorKind::ReadOnlyFilesystem),
            Self::Corrupt { .. } | Self::Newer { .. } | Self::Foreign { .. } => None,
        }
    }

    /// Something that is no file of ours stands at `path`.
    pub(crate) fn unusable(path: &Path, error: &io::Error) -> Self {
        Self::Corrupt {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }

    /// For `map_err`: ties an I/O error to its path.
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
    /// Somebody runs the profile, or is deleting or copying it. It is not ours to take.
    #[error("profile `{name}` is in use by another process")]
    Held {
        /// The profile.
        name: Name,
    },
    /// The lock file could not be used; `NotFound` means there is no such profile.
    #[error(transparent)]
    Io(#[from] StoreError),
}
