//! Why a secret could not be had or kept.

use std::io;
use std::path::{Path, PathBuf};

use szk_store::StoreError;

use crate::SecretName;

/// Why a secret could not be had or kept. None of these holds a value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Nobody has set it.
    #[error("there is no secret `{name}`")]
    NotFound {
        /// The name asked for.
        name: SecretName,
    },
    /// A keyring was asked for, and there is none, or it stays locked.
    #[error("cannot use the keyring: {0}")]
    Keyring(String),
    /// The encrypted file is there, and its key is not.
    #[error("the key that encrypts `{}` is missing at `{}`", file.display(), key.display())]
    NoKey {
        /// The encrypted file.
        file: PathBuf,
        /// Where its key should be.
        key: PathBuf,
    },
    /// There is no folder for the key.
    #[error("the user has no configuration folder to keep a key in")]
    NoFolder,
    /// The key or the file is not what szk writes, or they do not belong together.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: Unusable,
    },
    /// The key or the file was written by an szk that used age.
    #[error("`{}` is in the age format, which this version of szk cannot read", path.display())]
    Old {
        /// The file.
        path: PathBuf,
    },
    /// Others can read the key.
    #[error("other users can read `{}` (mode {mode:o})", path.display())]
    Open {
        /// The key.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The disk refused.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SecretError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// What is wrong with the encrypted file or its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The file is of some other format.
    #[error("szk did not write this file")]
    Foreign,
    /// The file is of a later version of the format.
    #[error("a newer version of szk wrote it")]
    Newer,
    /// The cipher rejects it: which of the two is wrong cannot be known.
    #[error("it is damaged, or encrypted with another key")]
    Rejected,
    /// It was decrypted, and is not understood.
    #[error("its content is not in szk's format")]
    Content,
    /// The file of the key has none in it.
    #[error("it does not hold a key of szk's")]
    NoKey,
    /// It is more than the cipher takes.
    #[error("the secrets are too long")]
    TooLong,
    /// The system gives out no random bytes.
    #[error("the system provides no random bytes")]
    NoRandomness,
}

impl Unusable {
    pub(crate) fn of(self, path: &Path) -> SecretError {
        SecretError::Unusable {
            path: path.to_owned(),
            reason: self,
        }
    }
}
