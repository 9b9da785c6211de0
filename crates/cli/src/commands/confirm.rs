//! Asks the person at the terminal.

use std::io::{BufRead, IsTerminal, Write};

use szk_tools::{Code, Failure};

use crate::error::CliError;

/// Whether there is a person to ask.
pub(crate) fn somebody() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks; anything but a yes ends the command with `refused`.
pub(crate) fn ask(question: &str, refused: &str) -> Result<(), CliError> {
    let mut answer = String::new();
    // Ignores `quiet`: a question that no one sees gets no answer.
    let mut err = std::io::stderr().lock();
    write!(err, "{question} [y/N] ")
        .and_then(|()| err.flush())
        .map_err(|error| CliError::write("stderr", &error))?;
    let read = std::io::stdin().lock().read_line(&mut answer);
    match (read, answer.trim().to_lowercase().as_str()) {
        (Ok(_), "y" | "yes") => Ok(()),
        _ => Err(Failure::new(Code::Cancelled, refused).into()),
    }
}
