//! Why an archive could not be written or read.

use std::io;
use std::path::{Path, PathBuf};

use crate::{LockError, Name, StoreError};

/// Why an archive could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive itself could not be written or read.
    #[error("could not use `{}`: {source}", path.display())]
    File {
        /// The archive.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It is not an archive, or it is damaged.
    #[error("`{}` is not a profile archive: {reason}", path.display())]
    NotOne {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer version of this program wrote it.
    #[error("`{}` has format {found}, this version knows up to {known}", path.display())]
    Newer {
        /// The archive.
        path: PathBuf,
        /// The format it claims.
        found: u64,
        /// The newest format known here.
        known: u64,
    },
    /// It contains something that no export writes; it was made to do harm.
    #[error("`{}` is refused: `{entry}` {reason}", path.display())]
    Refused {
        /// The archive.
        path: PathBuf,
        /// The entry, as far as it is printable.
        entry: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A profile of that name exists.
    #[error("there is a profile `{name}` already")]
    Taken {
        /// The profile.
        name: Name,
    },
    /// Another process holds the lock of the profile to create.
    #[error(transparent)]
    Lock(LockError),
}

impl From<LockError> for ArchiveError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Io(error) => Self::Store(error),
            held @ LockError::Held { .. } => Self::Lock(held),
        }
    }
}

impl ArchiveError {
    /// The same in words for whoever sends or fetches the archive, and must not learn where anything is here.
    #[must_use]
    pub fn without_paths(&self) -> String {
        match self {
            Self::File { source, .. } => format!("could not use the archive: {source}"),
            Self::NotOne { reason, .. } => {
                format!("the archive is not one of a profile: {reason}")
            }
            Self::Newer { found, known, .. } => {
                format!("the archive has format {found}, this version knows up to {known}")
            }
            Self::Refused { entry, reason, .. } => {
                format!("the archive is refused: `{entry}` {reason}")
            }
            Self::Store(error) => match error.kind() {
                Some(kind) => format!("could not use the store: {kind}"),
                None => "could not use the store".to_owned(),
            },
            Self::Taken { .. } | Self::Lock(_) => self.to_string(),
        }
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }
}
