//! Reads files that a caller names or that sit where ours should be.
//!
//! A path may lead to a FIFO without a writer, an endless device, a folder, a link to itself or a file
//! larger than memory. [`open`] opens only regular files and never blocks; [`read`] and [`text`] also
//! enforce a limit. Every error says what is there and has a kind that tells these cases apart:
//! [`is_unusable`].

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Whether to follow a symbolic link in the last component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// As usual: a person named the path.
    Followed,
    /// Refused: the file is ours, and no one has a reason to put a link there.
    Refused,
}

/// Opens a regular file for reading, without blocking.
///
/// # Errors
/// The system's error, `IsADirectory`, or `InvalidInput` for anything else that is not a regular file.
pub fn open(path: &Path, links: Links) -> io::Result<File> {
    let before = match links {
        Links::Followed => path.metadata(),
        Links::Refused => path.symlink_metadata(),
    };
    // Checked first: opening a device can have side effects.
    regular(&before?)?;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)
        .map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::LOOP) if links == Links::Refused => not_a_file("a symbolic link"),
            _ => error,
        })?;
    // Something else may have been put there meanwhile.
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a whole regular file of at most `limit` bytes; follows links.
///
/// # Errors
/// As [`open`], and `FileTooLarge`.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    whole(open(path, Links::Followed)?, limit)
}

/// The same for one of our own files, which is never a link.
///
/// # Errors
/// As [`read`].
pub fn read_own(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    whole(open(path, Links::Refused)?, limit)
}

/// Reads a whole text file of at most `limit` bytes; follows links.
///
/// # Errors
/// As [`read`], and `InvalidData` if it is not UTF-8.
pub fn text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Whether the error means that what is there can never be read as our file: a folder, a FIFO, a
/// device, a link, or a file over its limit. Retrying does not help; moving it away does.
#[must_use]
pub fn is_unusable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::IsADirectory | ErrorKind::FileTooLarge
    ) || error.get_ref().is_some_and(|inner| inner.is::<NotAFile>())
        || Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// Reads to the end, which must come within `limit` bytes: a file can grow while we read it.
fn whole(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn regular(meta: &Metadata) -> io::Result<()> {
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(());
    }
    Err(not_a_file(if kind.is_dir() {
        return Err(io::Error::new(
            ErrorKind::IsADirectory,
            "it is a folder, not a file",
        ));
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_fifo() {
        "a FIFO (named pipe)"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }))
}

/// What is there instead of a file.
#[derive(Debug)]
struct NotAFile(&'static str);

impl std::fmt::Display for NotAFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it is {}, not a regular file", self.0)
    }
}

impl std::error::Error for NotAFile {}

fn not_a_file(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, NotAFile(what))
}

fn too_large(limit: u64) -> io::Error {
    let shown = match limit {
        0..1_048_576 => format!("{} KiB", limit.div_ceil(1024)),
        _ => format!("{} MiB", limit.div_ceil(1 << 20)),
    };
    io::Error::new(
        ErrorKind::FileTooLarge,
        format!("it is larger than {shown}"),
    )
}

#[cfg(test)]
mod tests;
