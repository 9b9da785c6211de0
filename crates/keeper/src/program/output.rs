//! The output of a program: keeps its beginning and its end.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::task::AbortOnDropHandle;

/// Bytes to keep of the beginning, and as many of the end.
const KEPT: usize = 16 << 10;

/// The output so far; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Output {
    // A std mutex: nothing awaits under it.
    text: Arc<Mutex<Text>>,
}

#[derive(Default)]
struct Text {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: usize,
}

impl Output {
    /// Reads a stream to its end; dropping the handle ends the task.
    pub(super) fn follow(
        &self,
        mut stream: impl AsyncRead + Unpin + Send + 'static,
    ) -> AbortOnDropHandle<()> {
        let output = self.clone();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut bytes = vec![0; 8 << 10];
            while let Ok(read) = stream.read(&mut bytes).await
                && read > 0
            {
                output.add(&bytes[..read]);
            }
        }))
    }

    fn add(&self, bytes: &[u8]) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT.saturating_sub(text.head.len()).min(bytes.len());
        text.head.extend_from_slice(&bytes[..room]);
        text.tail.extend_from_slice(&bytes[room..]);
        if text.tail.len() > 2 * KEPT {
            let over = text.tail.len() - KEPT;
            text.tail.drain(..over);
            text.dropped += over;
        }
    }

    /// The output so far, without colours and cursor movements.
    pub(crate) fn text(&self) -> String {
        let text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        let over = text.tail.len().saturating_sub(KEPT);
        let dropped = text.dropped + over;
        let mut whole = text.head.clone();
        if dropped > 0 {
            whole.extend_from_slice(format!("\n… ({dropped} bytes left out)\n").as_bytes());
        }
        whole.extend_from_slice(&text.tail[over..]);
        plain(String::from_utf8_lossy(&whole).trim_end())
    }
}

/// Removes escape sequences and control characters.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            if chars.next_if_eq(&'[').is_some() {
                // Up to the letter that ends it.
                let _ = chars.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
            } else {
                let _ = chars.next();
            }
        } else if !c.is_control() || c == '\n' || c == '\t' {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_keeps_its_beginning_and_end() {
        let output = Output::default();
        output.add(b"begin ");
        for _ in 0..100 {
            output.add(&[b'x'; 1000]);
        }
        output.add(b" end\n");
        let text = output.text();
        assert!(
            text.starts_with("begin x") && text.ends_with("x end"),
            "{text}"
        );
        assert!(text.contains("bytes left out"), "{text}");
        assert!(text.len() < 2 * KEPT + 100, "{}", text.len());
    }

    #[test]
    fn short_output_is_complete() {
        let output = Output::default();
        output.add("a\u{1b}[31mred\u{1b}[0m\r\n\u{7}zł\n".as_bytes());
        assert_eq!(output.text(), "ared\nzł");
    }
}
