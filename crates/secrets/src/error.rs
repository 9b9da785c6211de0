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
    #[error("the keyring cannot be used: {0}")]
    Keyring(String),
    /// The encrypted file is there, and its key is not.
    #[error("`{}` is encrypted with a key that is not at `{}`", file.display(), key.display())]
    NoKey {
        /// The encrypted file.
        file: PathBuf,
        /// Where its key should be.
        key: PathBuf,
    },
    /// There is no folder for the key.
    #[error("there is no configuration folder of the user to keep a key in")]
    NoFolder,
    /// The key or the file is not what szk writes, or they do not belong together.
    #[error("`{}` cannot be used: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Others can read the key.
    #[error("`{}` can be read by others (mode {mode:o})", path.display())]
    Open {
        /// The key.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The disk refused.
    #[error("could not use `{}`: {source}", path.display())]
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
