//! Why nothing could be read from a browser.

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing could be read from a browser.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such browser or profile on this machine.
    #[error("{0}")]
    NotFound(String),
    /// The system refused to open a file.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not in a format that the browser is known to write.
    #[error("`{}` cannot be understood: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl ReadError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn sqlite(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + '_ {
        move |error| Self::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }
}
