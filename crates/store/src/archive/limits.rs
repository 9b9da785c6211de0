//! How much may come out of an archive.

use std::io::{self, Read};

/// How much may come out of an archive. A profile of years is some gigabytes in some ten thousand files.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes in all.
    pub bytes: u64,
    /// Entries in all.
    pub entries: u64,
    /// Bytes out of one byte of the archive, looked at once there are [`Limits::FREE`] of them.
    pub ratio: u64,
}

impl Limits {
    /// As many bytes may come out of any archive.
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
#[error("too much comes out of it")]
pub(super) struct TooMuch;

/// Counts what comes out, headers and padding included, and ends where there is too much.
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

/// Whether an error is the limit's.
pub(super) fn is_too_much(error: &io::Error) -> bool {
    // The readers in between wrap errors in errors of their own.
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
