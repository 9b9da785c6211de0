//! Exit codes, all in one place.
//!
//! A failed operation exits with its code's own number, see [`Code::exit_code`].

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use szk_tools::Code;

/// The exit code of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

impl Exit {
    /// Success.
    pub(crate) const OK: Self = Self(0);
    /// `szk doctor` found something that keeps szk from working.
    pub(crate) const DOCTOR: Self = Self(1);
    /// The command ran and found a problem: a test failed.
    pub(crate) const UNMET: Self = Self(1);
    /// The arguments did not parse; clap's convention, and the code of `INVALID_INPUT`.
    pub(crate) const USAGE: Self = Self(2);
    /// The program of `szk run` exists but cannot be started; the shells' convention.
    pub(crate) const NOT_EXECUTABLE: Self = Self(126);
    /// The program of `szk run` was not found; the shells' convention.
    pub(crate) const NO_SUCH_COMMAND: Self = Self(127);

    /// The exit code for a call that failed with `code`.
    pub(crate) fn of_code(code: Code) -> Self {
        Self(code.exit_code())
    }

    /// A program's exit code: its own, or 128 + n if signal n ended it.
    pub(crate) fn of_program(status: ExitStatus) -> Self {
        let number = status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal))
            .unwrap_or(1);
        Self(u8::try_from(number).unwrap_or(1))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_killed_by_a_signal_exits_as_in_a_shell() {
        let ended = |raw| Exit::of_program(ExitStatus::from_raw(raw)).0;
        assert_eq!(ended(0), 0);
        assert_eq!(ended(7 << 8), 7);
        assert_eq!(ended(15), 143);
        assert_eq!(ended(9), 137);
    }

    #[test]
    fn failures_use_their_own_numbers() {
        assert_eq!(Exit::of_code(Code::InvalidInput), Exit::USAGE);
        assert_eq!(Exit::of_code(Code::Cancelled).0, 130);
    }
}
