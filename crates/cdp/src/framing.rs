//! Messages on the pipe: JSON text, each ended by a NUL byte, which JSON text cannot contain.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The largest message accepted, in bytes. Chromium itself stops at about this size.
pub(crate) const LIMIT: usize = 256 * 1024 * 1024;

/// How much space to reserve before each read, in bytes: as much as a pipe on Linux holds.
const CHUNK: usize = 64 * 1024;

/// A message of more bytes than this takes its buffer with it: it would be kept at that size for good.
const LARGE: usize = 1024 * 1024;

const END: u8 = 0;

/// Why there is no next message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FrameError {
    #[error("a message is larger than {0} bytes")]
    Oversized(usize),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Splits the input into messages.
pub(crate) struct Frames<R> {
    reader: R,
    buffer: BytesMut,
    /// How much of the buffer is known to contain no terminator; keeps large messages linear.
    scanned: usize,
    limit: usize,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn with_limit(reader: R, limit: usize) -> Self {
        Self {
            reader,
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
        }
    }

    /// The next message without its NUL; `None` at the end of input. Drops a message that the end of
    /// input cuts short.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, FrameError> {
        loop {
            if let Some(frame) = self.split()? {
                return Ok(Some(frame));
            }
            self.buffer.reserve(CHUNK);
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                if !self.buffer.is_empty() {
                    tracing::debug!(bytes = self.buffer.len(), "input ended inside a message");
                }
                return Ok(None);
            }
        }
    }

    fn split(&mut self) -> Result<Option<Bytes>, FrameError> {
        let end = memchr::memchr(END, &self.buffer[self.scanned..]);
        let length = end.map_or(self.buffer.len(), |at| self.scanned + at);
        if length > self.limit {
            return Err(FrameError::Oversized(self.limit));
        }
        if end.is_none() {
            self.scanned = length;
            return Ok(None);
        }
        let mut frame = self.buffer.split_to(length + 1);
        frame.truncate(length);
        self.scanned = 0;
        if length > LARGE {
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
        Ok(Some(frame.freeze()))
    }
}

/// Terminates an encoded message.
pub(crate) fn end(mut message: Vec<u8>) -> Vec<u8> {
    message.push(END);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All messages, if the bytes arrive in these chunks.
    fn read(chunks: &[&[u8]], limit: usize) -> Result<Vec<Bytes>, FrameError> {
        // A chain never reads from two of its parts at once, so the chunks stay separate.
        let mut pipe: Box<dyn AsyncRead + Unpin> = Box::new(tokio::io::empty());
        for chunk in chunks {
            pipe = Box::new(pipe.chain(*chunk));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        runtime.block_on(async {
            let mut frames = Frames::with_limit(pipe, limit);
            let mut all = Vec::new();
            while let Some(frame) = frames.next().await? {
                all.push(frame);
            }
            Ok(all)
        })
    }

    fn check(chunks: &[&str], expected: &[&str]) {
        let chunks: Vec<_> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
        assert_eq!(read(&chunks, 10).unwrap(), expected);
    }

    #[tokio::test]
    async fn the_room_of_a_large_message_goes_with_it() {
        let large = vec![b' '; 8 * LARGE];
        let stream: Vec<u8> = [end(large), end(b"{}".to_vec())].concat();
        let mut frames = Frames::with_limit(&stream[..], LIMIT);
        assert_eq!(frames.next().await.unwrap().unwrap().len(), 8 * LARGE);
        assert_eq!(frames.next().await.unwrap().unwrap(), "{}");
        assert!(frames.buffer.capacity() <= LARGE);
    }

    #[test]
    fn messages_end_at_nul() {
        check(&["{}\0[]\0"], &["{}", "[]"]);
        check(&["{", "}", "\0"], &["{}"]);
        check(&["\0\0"], &["", ""]);
    }

    #[test]
    fn half_a_message_at_the_end_is_dropped() {
        check(&["{}\0{\"id\""], &["{}"]);
    }

    #[test]
    fn a_message_may_be_as_large_as_the_limit_but_not_larger() {
        check(&["0123456789\0"], &["0123456789"]);
        for chunks in [&[&b"0123456789a\0"[..]][..], &[b"012345", b"6789a"]] {
            let error = read(chunks, 10).unwrap_err();
            assert!(matches!(error, FrameError::Oversized(10)), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn chunk_boundaries_do_not_matter(
            messages in prop::collection::vec(prop::collection::vec(1u8.., 0..50), 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let stream: Vec<u8> = messages.iter().cloned().flat_map(end).collect();
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([stream.len()]) {
                chunks.push(&stream[start..cut]);
                start = cut;
            }
            prop_assert_eq!(read(&chunks, 50).unwrap(), messages);
        }
    }
}
