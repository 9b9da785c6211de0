//! Why a secret could not be read or stored.

use std::io;
use std::path::{Path, PathBuf};

use szk_store::StoreError;

use crate::SecretName;

/// Why a secret could not be read or stored. No variant contains a value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// There is no such secret.
    #[error("there is no secret `{name}`")]
    NotFound {
        /// The requested name.
        name: SecretName,
    },
    /// The caller asked for a keyring, but there is none, or it stays locked.
    #[error("cannot use the keyring: {0}")]
    Keyring(String),
    /// The encrypted file exists, but its key does not.
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
    /// The key or the file has a wrong format, or they do not belong together.
    #[error("cannot use `{}`: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: Unusable,
    },
    /// A version of szk that used age wrote the key or the file.
    #[error("`{}` is in the age format, which this version of szk cannot read", path.display())]
    Old {
        /// The file.
        path: PathBuf,
    },
    /// Other users can read the key.
    #[error("other users can read `{}` (mode {mode:o})", path.display())]
    Open {
        /// The key.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// An I/O error.
    #[error("cannot use `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An error of the store.
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
    /// The file has a foreign format.
    #[error("szk did not write this file")]
    Foreign,
    /// The file has a newer version of the format.
    #[error("a newer version of szk wrote it")]
    Newer,
    /// Decryption failed; whether the file or the key is wrong is unknown.
    #[error("it is damaged, or encrypted with another key")]
    Rejected,
    /// The decrypted content does not parse.
    #[error("its content is not in szk's format")]
    Content,
    /// The key file contains no key.
    #[error("it does not hold a key of szk's")]
    NoKey,
    /// The content is longer than the cipher allows.
    #[error("the secrets are too long")]
    TooLong,
    /// The system provides no random bytes.
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
