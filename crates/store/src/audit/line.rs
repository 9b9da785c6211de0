//! One line: JSON, with its hash as the last field. It does no I/O.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{AuditEntry, AuditLine};

/// Stands between what is hashed and the hash.
const HASH: &str = ",\"hash\":\"";
/// Length of a hash in hex.
pub(super) const DIGITS: usize = 64;

/// The hash before the first line.
pub(super) fn origin() -> String {
    "0".repeat(DIGITS)
}

#[derive(Serialize)]
struct Body<'a> {
    seq: u64,
    #[serde(flatten)]
    entry: &'a AuditEntry,
    prev: &'a str,
}

/// The line with this number that follows `prev`, with its line break, and its hash.
pub(super) fn write(
    seq: u64,
    entry: &AuditEntry,
    prev: &str,
) -> serde_json::Result<(Vec<u8>, String)> {
    let mut text = serde_json::to_vec(&Body { seq, entry, prev })?;
    let hash = hash(&text);
    text.pop();
    text.extend_from_slice(format!("{HASH}{hash}\"}}\n").as_bytes());
    Ok((text, hash))
}

/// A line without its line break; `Err` if it is none, or not the one that its hash belongs to.
pub(super) fn read(text: &[u8]) -> Result<AuditLine, ()> {
    let end = HASH.len() + DIGITS + 2;
    let body = text.len().checked_sub(end).ok_or(())?;
    let (body, end) = text.split_at(body);
    let digits = end
        .strip_prefix(HASH.as_bytes())
        .and_then(|end| end.strip_suffix(b"\"}"));
    let hashed = hash(&[body, b"}"].concat());
    if digits != Some(hashed.as_bytes()) {
        return Err(());
    }
    serde_json::from_slice(text).map_err(drop)
}

/// The complete lines of a file, and what stands after the last of them.
pub(super) fn split(text: &[u8]) -> (impl Iterator<Item = &[u8]>, &[u8]) {
    let end = text.iter().rposition(|byte| *byte == b'\n');
    let (whole, torn) = text.split_at(end.map_or(0, |end| end + 1));
    let lines = whole.split_inclusive(|byte| *byte == b'\n');
    (lines.map(|line| &line[..line.len() - 1]), torn)
}

/// SHA-256 in hex.
pub(super) fn hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(DIGITS);
    for byte in Sha256::digest(bytes) {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
