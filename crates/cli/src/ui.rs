//! The two streams: answers go to stdout, talk goes to stderr.

use std::io::Write;

use serde::Serialize;
use szk_tools::Failure;

use crate::args::Global;
use crate::error::CliError;
use crate::progress::ProgressLine;
use crate::render;
use crate::render::spoken::Speech;

/// How this call prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ui {
    /// Answer with one JSON object on one line.
    json: bool,
    /// No talk.
    quiet: bool,
}

impl Ui {
    /// From the global options.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            json: global.json,
            quiet: global.quiet,
        }
    }

    /// Whether the caller wants JSON.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Whether the caller wants neither talk nor decoration.
    pub(crate) fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Writes the answer: `value` as JSON, or the text that `human` makes of it.
    ///
    /// # Errors
    /// [`CliError::BrokenPipe`] if no one is reading any more, `STORAGE` if stdout cannot be written
    /// for another reason.
    pub(crate) fn answer<T: Serialize>(
        self,
        value: &T,
        human: impl FnOnce(&T) -> String,
    ) -> Result<(), CliError> {
        if self.json {
            return self.json(value);
        }
        self.data(&human(value))
    }

    /// Writes `value` as JSON on one line, so a line reader can act while we keep running.
    pub(crate) fn json<T: Serialize>(self, value: &T) -> Result<(), CliError> {
        let line = serde_json::to_string(value)
            .map_err(|error| Failure::internal(format!("cannot write the answer: {error}")))?;
        self.data(&szk_text::json(&line))
    }

    /// Writes text to stdout, ending with a newline; empty text writes nothing.
    pub(crate) fn data(self, text: &str) -> Result<(), CliError> {
        if text.is_empty() {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        writeln!(out, "{}", text.trim_end_matches('\n'))
            .and_then(|()| out.flush())
            .map_err(|error| CliError::write("stdout", &error))
    }

    /// Writes bytes to stdout as they are.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Result<(), CliError> {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes)
            .and_then(|()| out.flush())
            .map_err(|error| CliError::write("stdout", &error))
    }

    /// Prints a message for the person at the terminal.
    pub(crate) fn talk(self, text: &str) {
        if !self.quiet && !self.json {
            self.stderr(text);
        }
    }

    /// Prints a warning; JSON answers carry their own.
    pub(crate) fn warn(self, text: &str) {
        if !self.json {
            let text = Speech::default().answer(text);
            self.stderr(&render::failure::warning(&text));
        }
    }

    /// Prints an error, in the vocabulary of the command that ran.
    pub(crate) fn failure(self, failure: &Failure, speech: &Speech) {
        if self.json {
            self.stderr(&render::failure::json(failure));
        } else {
            self.stderr(&render::failure::text(failure, speech));
        }
    }

    /// A progress line, drawn only for people.
    pub(crate) fn progress(self) -> ProgressLine {
        ProgressLine::new(!self.quiet && !self.json)
    }

    fn stderr(self, text: &str) {
        // If stderr is gone, no one is left to tell.
        let _ = writeln!(anstream::stderr().lock(), "{}", text.trim_end_matches('\n'));
    }
}
