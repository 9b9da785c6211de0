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
    let answer = line(&format!("{question} [y/N] "));
    let answer = answer.map_err(|error| CliError::write("stderr", &error))?;
    match is_yes(answer.as_deref()) {
        true => Ok(()),
        false => Err(Failure::new(Code::Cancelled, refused).into()),
    }
}

/// The same while other work goes on, which can end the question: the thread that then still reads is not
/// waited for.
pub(crate) async fn agrees(question: String) -> bool {
    let answer = entered(format!("{question} [y/N] ")).await;
    is_yes(answer.as_deref())
}

/// What the person types, while other work goes on.
pub(crate) async fn entered(prompt: String) -> Option<String> {
    let read = tokio::task::spawn_blocking(move || line(&prompt));
    read.await.ok()?.ok()?
}

fn is_yes(answer: Option<&str>) -> bool {
    let answer = answer.unwrap_or_default().trim().to_lowercase();
    matches!(&*answer, "y" | "yes")
}

/// A line that the person types, or nothing if it cannot be read.
fn line(prompt: &str) -> std::io::Result<Option<String>> {
    // Ignores `quiet`: a question that no one sees gets no answer.
    let mut err = std::io::stderr().lock();
    write!(err, "{prompt}").and_then(|()| err.flush())?;
    // Others may have something to say meanwhile.
    drop(err);
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Ok(read.is_ok().then_some(answer))
}
