//! How much an archive may unpack to.

use std::io::{self, Read};

/// How much an archive may unpack to. A profile used for years is a few gigabytes in tens of thousands
/// of files.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes in total.
    pub bytes: u64,
    /// Entries in total.
    pub entries: u64,
    /// Bytes per byte of the archive; enforced beyond [`Limits::FREE`].
    pub ratio: u64,
}

impl Limits {
    /// Any archive may unpack to this many bytes.
    pub const FREE: u64 = 256 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 30,
            entries: 2_000_000,
            ratio: 200,
        }
    }
}

/// Marks an error of [`Measured`] among those of the system.
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to more than is allowed")]
pub(super) struct TooMuch;

/// Counts what comes out, headers and padding included, and fails when it is too much.
pub(super) struct Measured<R> {
    inner: R,
    read: u64,
    most: u64,
}

impl<R: Read> Measured<R> {
    /// `packed`: the archive's own size.
    pub(super) fn new(inner: R, packed: u64, limits: &Limits) -> Self {
        let by_ratio = packed.saturating_mul(limits.ratio).max(Limits::FREE);
        Self {
            inner,
            read: 0,
            most: limits.bytes.min(by_ratio),
        }
    }
}

impl<R: Read> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        if self.read > self.most {
            return Err(io::Error::other(TooMuch));
        }
        Ok(count)
    }
}

/// Whether an error means that the limit was hit.
pub(super) fn is_too_much(error: &io::Error) -> bool {
    // The readers in between wrap errors in their own.
    let mut cause: Option<&(dyn std::error::Error + 'static)> =
        error.get_ref().map(|inner| inner as _);
    while let Some(inner) = cause {
        if inner.is::<TooMuch>() {
            return true;
        }
        if let Some(io) = inner.downcast_ref::<io::Error>()
            && is_too_much(io)
        {
            return true;
        }
        cause = inner.source();
    }
    false
}
