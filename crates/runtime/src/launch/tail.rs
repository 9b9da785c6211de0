//! The last lines Chromium wrote to standard error, for the message when it dies.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Lines kept.
const LINES: usize = 12;
/// Bytes kept of a line.
const WIDTH: usize = 300;

/// A ring of lines; cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    // A std mutex: nothing awaits under it.
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Tail {
    /// Reads `stderr` to its end; the lines also go to the log at debug level.
    pub(crate) async fn follow(self, stderr: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(stderr);
        let mut line = Vec::new();
        while let Ok(read) = reader.read_until(b'\n', &mut line).await {
            if read == 0 {
                break;
            }
            let text: String = String::from_utf8_lossy(&line)
                .trim_end()
                .chars()
                .take(WIDTH)
                .collect();
            tracing::debug!(target: "chromium", "{text}");
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() == LINES {
                lines.pop_front();
            }
            lines.push_back(text);
            line.clear();
        }
    }

    /// The lines that may say why it died, joined by ` | `, without the D-Bus noise that every server
    /// has.
    pub(crate) fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: Vec<&str> = lines
            .iter()
            .map(String::as_str)
            .filter(|line| !line.is_empty() && !line.contains("dbus"))
            .collect();
        kept.join(" | ")
    }
}
