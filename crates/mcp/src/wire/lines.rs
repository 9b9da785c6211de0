//! Lines from a blocking reader, of bounded length.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::thread;

use rmcp::model::RequestId;
use tokio::sync::mpsc;

use super::skim::Skim;

/// Longest line to read, in bytes; longer ones are discarded as they come in.
pub(crate) const LONGEST: usize = 16 << 20;

/// Lines that may queue; then the client has to wait.
const WAITING: usize = 8;

/// One line, without the newline.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The complete line.
    Whole(Vec<u8>),
    /// Longer than [`LONGEST`]; with the id of the request that it is, if it is one.
    TooLong(Option<RequestId>),
}

/// Reads `input` on a thread until it ends or the receiver is gone.
///
/// # Errors
/// The thread cannot be started.
pub(crate) fn spawn(input: impl Read + Send + 'static) -> io::Result<mpsc::Receiver<Line>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    thread::Builder::new()
        .name("mcp-read".into())
        .spawn(move || {
            let mut input = BufReader::with_capacity(64 << 10, input);
            while let Some(line) = next(&mut input, LONGEST) {
                if sender.blocking_send(line).is_err() {
                    break;
                }
            }
        })?;
    Ok(receiver)
}

/// The next line; the last one needs no newline. A read error counts as the end.
fn next(input: &mut impl BufRead, longest: usize) -> Option<Line> {
    let mut line = Vec::new();
    let mut too_long: Option<Skim> = None;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                tracing::debug!(%error, "the input failed");
                &[]
            }
        };
        let at_end = available.is_empty();
        if at_end && line.is_empty() && too_long.is_none() {
            return None;
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..newline.unwrap_or(available.len())];
        if too_long.is_some() || line.len() + part.len() > longest {
            let skim = too_long.get_or_insert_default();
            skim.take(&std::mem::take(&mut line));
            skim.take(part);
        } else {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(newline.is_some());
        input.consume(taken);
        if at_end || newline.is_some() {
            return Some(match too_long {
                Some(skim) => Line::TooLong(skim.id()),
                None => Line::Whole(line),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expected: &[Option<&str>]) {
        // A tiny buffer makes every line span several reads.
        let mut reader = BufReader::with_capacity(3, input.as_bytes());
        let found: Vec<Line> = std::iter::from_fn(|| next(&mut reader, 8)).collect();
        let expected: Vec<Line> = expected
            .iter()
            .map(|line| line.map_or(Line::TooLong(None), |line| Line::Whole(line.into())))
            .collect();
        assert_eq!(found, expected, "{input:?}");
    }

    #[test]
    fn lines_are_cut_at_newlines() {
        check("", &[]);
        check("one\ntwo\n", &[Some("one"), Some("two")]);
        check("\n\n", &[Some(""), Some("")]);
    }

    #[test]
    fn the_last_line_needs_no_newline() {
        check("one\ntwo", &[Some("one"), Some("two")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_report_and_costs_nothing_else() {
        check("12345678\n", &[Some("12345678")]);
        check("123456789 and much more\nnext\n", &[None, Some("next")]);
        check("123456789", &[None]);
    }
}
