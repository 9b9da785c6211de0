//! One line that says what szk is waiting for; only on a terminal's stderr.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use szk_tools::Progress;

use crate::render::text;

/// The line, removed on drop.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    /// Whether anyone would see it.
    enabled: bool,
    /// Whether there is something to remove.
    drawn: AtomicBool,
}

impl ProgressLine {
    /// A line that is drawn only if `wanted` and stderr is a terminal.
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            enabled: wanted && std::io::stderr().is_terminal(),
            drawn: AtomicBool::new(false),
        }
    }

    /// Shows an operation's progress.
    pub(crate) fn report(&self, progress: &Progress) {
        let line = if progress.total > 1 {
            format!(
                "{} ({}/{})",
                progress.message, progress.done, progress.total
            )
        } else {
            progress.message.clone()
        };
        self.say(&line);
    }

    /// Replaces the line with `line`.
    pub(crate) fn say(&self, line: &str) {
        if self.enabled {
            self.drawn.store(true, Ordering::Relaxed);
            self.draw(&format!("{}…", text::clip(&text::printable(line), 78)));
        }
    }

    /// Removes the line before something else is written.
    pub(crate) fn clear(&self) {
        if self.drawn.swap(false, Ordering::Relaxed) {
            self.draw("");
        }
    }

    fn draw(&self, line: &str) {
        // If the terminal cannot be written to, no one is waiting at it.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
