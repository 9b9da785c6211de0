//! How a command can end without an answer.

use std::io;

use szk_tools::{Code, Failure};

use crate::exit::Exit;

/// What a command returns.
pub(crate) type Outcome = Result<Exit, CliError>;

/// Why a command gave up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// An operation failed, or its input was wrong.
    #[error("{0}")]
    Failure(Box<Failure>),
    /// The command line does not parse.
    #[error("{0}")]
    Usage(clap::Error),
    /// The reader of our stdout has seen enough (`szk list | head -1`): not an error to report.
    #[error("stdout was closed")]
    BrokenPipe,
    /// Already reported, in its own way; only the exit code is left.
    #[error("exit {}", .0.0)]
    Exit(Exit),
}

impl CliError {
    /// An error while writing to a terminal, pipe or file called `what`.
    pub(crate) fn write(what: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Failure::new(Code::Storage, format!("cannot write to {what}: {error}")).into()
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}
