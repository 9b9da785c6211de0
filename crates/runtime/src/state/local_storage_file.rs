//! Reads when Chromium committed localStorage, from the log of its database, while no browser has it open.
//!
//! With what it commits of an origin, Chromium writes `META:` and the origin, and when that was (a
//! `LocalStorageAreaMetaData` message); the entries themselves are at `_`, the origin, a zero and the name. The log is that of LevelDB (`doc/log_format.md` there); what is in it
//! moves to tables once it is long.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::local_storage_entries::HashedEntries;

/// Longest log to read: LevelDB begins a new one long before.
const LONGEST: u64 = 64 << 20;
/// A record does not go from one block into the next; its parts do.
const BLOCK: usize = 32 << 10;
/// Checksum, length and kind of a part.
const HEADER: usize = 7;
/// Sequence number and count of a batch.
const BATCH: usize = 12;
/// How far the time of an event may be behind what it tells of, by the same clock.
const CLOCKS: SignedDuration = SignedDuration::from_millis(100);
/// Seconds from 1601, where Chromium's clock begins, to 1970.
const EPOCH: i64 = 11_644_473_600;

const META: &[u8] = b"META:";

/// A change of an origin's localStorage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalChange {
    /// Then it was not there yet.
    pub after: Timestamp,
    /// Then it was there.
    pub noticed: Timestamp,
    /// The entries that changed, where they are known.
    pub entries: HashedEntries,
}

/// What is committed.
#[derive(Debug, Default)]
pub struct LocalCommits {
    /// When each origin in the log was last committed; `None` for one that was emptied.
    origins: BTreeMap<Vec<u8>, Option<Timestamp>>,
    /// The entries of each origin that are in the log.
    entries: BTreeMap<Vec<u8>, HashedEntries>,
    /// When the newest table was written.
    tables: Option<Timestamp>,
}

impl LocalCommits {
    /// Reads them. What cannot be read counts as not committed.
    #[must_use]
    pub fn read(user_data_dir: &Path) -> Self {
        let mut commits = Self::default();
        let folder = user_data_dir.join("Default/Local Storage/leveldb");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        // Their names are numbers, with zeros before.
        paths.sort();
        for path in paths {
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            match path.extension().and_then(|it| it.to_str()) {
                Some("log") if meta.len() <= LONGEST => {
                    commits.replay(&fs::read(&path).unwrap_or_default());
                }
                Some("ldb") => {
                    let written = meta.modified().ok().and_then(|at| at.try_into().ok());
                    commits.tables = commits.tables.max(written);
                }
                _ => {}
            }
        }
        commits
    }

    /// Whether a change of an origin is committed. It may have left an origin without entries.
    #[must_use]
    pub fn have(&self, origin: &str, change: &LocalChange, is_empty: bool) -> bool {
        match self.origins.get(origin.as_bytes()) {
            Some(Some(at)) if *at >= change.noticed => true,
            // The commit may have been before the change or behind it.
            Some(Some(at)) if change.after.duration_since(*at) <= CLOCKS => {
                let written = self.entries.get(origin.as_bytes());
                change
                    .entries
                    .are_in(written.unwrap_or(&HashedEntries::default()))
            }
            Some(Some(_)) => false,
            Some(None) => is_empty,
            // It has moved to a table since, if it was in the log.
            None => self.tables.is_some_and(|at| at >= change.noticed),
        }
    }

    fn replay(&mut self, log: &[u8]) {
        let mut batch = Vec::new();
        for block in log.chunks(BLOCK) {
            let mut left = block;
            while let Some((kind, part, rest)) = part_of(left) {
                left = rest;
                // Full, first, middle, last.
                if matches!(kind, 1 | 2) {
                    batch.clear();
                }
                batch.extend_from_slice(part);
                if matches!(kind, 1 | 4) {
                    self.apply(&batch);
                }
            }
        }
    }

    fn apply(&mut self, batch: &[u8]) {
        let mut left = batch.get(BATCH..).unwrap_or_default();
        while let Some((is_put, rest)) = left.split_first() {
            let Some((key, rest)) = prefixed(rest) else {
                return;
            };
            let value = match is_put {
                1 => prefixed(rest).map(|(value, rest)| (Some(value), rest)),
                _ => Some((None, rest)),
            };
            let Some((value, rest)) = value else {
                return;
            };
            left = rest;
            if let Some(origin) = key.strip_prefix(META) {
                self.origins.insert(origin.to_owned(), value.and_then(time));
            } else if let Some((origin, name)) = entry(key) {
                let entries = self.entries.entry(origin.to_owned()).or_default();
                entries.note(name, value);
            }
        }
    }
}

/// The origin and the name of an entry.
fn entry(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let key = key.strip_prefix(b"_")?;
    let zero = key.iter().position(|byte| *byte == 0)?;
    Some((&key[..zero], &key[zero + 1..]))
}

/// The first part of a block: its kind, its bytes, and what follows.
fn part_of(block: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (header, rest) = block.split_at_checked(HEADER)?;
    let length = u16::from_le_bytes([header[4], header[5]]);
    let (part, rest) = rest.split_at_checked(length.into())?;
    // 0 fills up a block.
    (header[6] != 0).then_some((header[6], part, rest))
}

/// Bytes with their length before them, and what follows.
fn prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = varint(bytes)?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// The time in the first field of a message: microseconds of Chromium's clock.
fn time(message: &[u8]) -> Option<Timestamp> {
    let message = message.strip_prefix(&[8])?;
    let (micros, _) = varint(message)?;
    let since_1970 = i64::try_from(micros).ok()?.checked_sub(EPOCH * 1_000_000)?;
    Timestamp::from_microsecond(since_1970).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Item;

    /// A batch that writes or, without a second, deletes the note about an origin, behind another entry.
    fn batch(origin: &str, second: Option<i64>) -> Vec<u8> {
        let mut bytes = vec![0; BATCH];
        let put = |bytes: &mut Vec<u8>, text: &[u8]| {
            bytes.push(u8::try_from(text.len()).unwrap());
            bytes.extend_from_slice(text);
        };
        bytes.push(1);
        put(&mut bytes, format!("_{origin}\0\u{1}user").as_bytes());
        put(&mut bytes, b"\x01jane");
        bytes.push(u8::from(second.is_some()));
        put(&mut bytes, format!("META:{origin}").as_bytes());
        if let Some(second) = second {
            let mut message = vec![8];
            let mut left = u64::try_from((second + EPOCH) * 1_000_000).unwrap();
            while left >= 0x80 {
                message.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
                left >>= 7;
            }
            message.push(u8::try_from(left).unwrap());
            message.extend_from_slice(&[0x10, 10]);
            put(&mut bytes, &message);
        }
        bytes
    }

    fn part(kind: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u16::try_from(bytes.len()).unwrap().to_le_bytes();
        let header = [0, 0, 0, 0, length[0], length[1], kind];
        [&header, bytes].concat()
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[track_caller]
    fn check(commits: &LocalCommits, origin: &str, after: i64, is_empty: bool, expected: bool) {
        let change = LocalChange {
            after: second(after),
            noticed: second(after + 2),
            entries: HashedEntries::default(),
        };
        assert_eq!(
            commits.have(origin, &change, is_empty),
            expected,
            "{origin}"
        );
    }

    #[test]
    fn entries_tell_where_the_time_does_not() {
        let mut commits = LocalCommits::default();
        commits.replay(&part(1, &batch("http://a.test", Some(1000))));
        let have = |after: i64, noticed: i64, name: &str, value: &str| {
            let (name, value) = (name.into(), value.into());
            let change = LocalChange {
                after: second(after),
                noticed: second(noticed),
                entries: HashedEntries::changed(&[], &[Item { name, value }]),
            };
            commits.have("http://a.test", &change, false)
        };
        assert!(have(998, 1000, "late", "1"));
        assert!(!have(1001, 1002, "user", "jane"));
        assert!(have(999, 1001, "user", "jane"));
        assert!(!have(999, 1001, "user", "joe"));
        assert!(!have(999, 1001, "late", "1"));
    }

    #[test]
    fn the_last_commit_of_an_origin_counts() {
        let mut commits = LocalCommits::default();
        let mut log = part(1, &batch("http://a.test", Some(1000)));
        log.extend(part(1, &batch("http://b.test:81", Some(2000))));
        log.extend(part(1, &batch("http://a.test", Some(3000))));
        log.extend(part(1, &batch("http://c.test", None)));
        commits.replay(&log);
        check(&commits, "http://a.test", 3000, false, true);
        check(&commits, "http://a.test", 3001, false, false);
        check(&commits, "http://b.test:81", 1999, false, true);
        check(&commits, "http://b.test", 1999, false, false);
        check(&commits, "http://c.test", 5000, true, true);
        check(&commits, "http://c.test", 5000, false, false);
        // What the log no longer has is in a table, if that is newer.
        commits.tables = Some(second(4000));
        check(&commits, "http://d.test", 3998, false, true);
        check(&commits, "http://d.test", 3999, false, false);
    }

    #[test]
    fn a_batch_may_be_in_several_blocks() {
        let batch = batch("http://a.test", Some(1000));
        let (first, rest) = batch.split_at(30);
        let (middle, last) = rest.split_at(5);
        let filled = vec![0; BLOCK - 2 * HEADER - first.len()];
        let blocks = [
            part(1, &filled),
            part(2, first),
            part(3, middle),
            part(4, last),
        ];
        let mut commits = LocalCommits::default();
        commits.replay(&blocks.concat());
        check(&commits, "http://a.test", 1000, false, true);
    }

    #[test]
    fn a_log_that_ends_early_says_what_it_can() {
        let log = [
            part(1, &batch("http://a.test", Some(1000))),
            part(1, &batch("http://b.test", Some(1000))),
        ];
        let log = log.concat();
        for length in 0..log.len() {
            let mut commits = LocalCommits::default();
            commits.replay(&log[..length]);
            check(&commits, "http://b.test", 1000, false, false);
        }
        let mut commits = LocalCommits::default();
        commits.apply(&[0xff; 64]);
        commits.replay(&[1; 64]);
        assert!(commits.origins.is_empty());
    }
}
