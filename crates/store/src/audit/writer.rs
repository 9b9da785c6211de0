//! Appends lines.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use jiff::Timestamp;
use rustix::fs::OFlags;
use serde_json::json;

use super::chain::NO_HEAD;
use super::head::{self, Head};
use super::{AuditEntry, files, line};
use crate::{Store, StoreError, atomic, dirs};

/// Bytes at which a new file begins.
const FILE: u64 = 8 << 20;
/// Files that are kept.
const FILES: usize = 8;

/// The operation of the line that says what a killed writer left.
const TORN: &str = "audit_torn_line";

/// Appends lines to the log of a store; other processes may do so at the same time.
#[derive(Debug)]
pub struct AuditWriter {
    store: Store,
    open: Option<Open>,
    limit: u64,
    most: usize,
}

/// A line that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Unwritten {
    /// Why.
    #[source]
    pub error: StoreError,
    /// Whether the next line will say that this one is missing.
    pub noted: bool,
}

/// The file that is being written.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: File,
    /// The file of the head.
    head_file: File,
    head: Head,
    /// Its length after our last line: if it still has it, nobody else has written since.
    size: u64,
}

impl AuditWriter {
    pub(super) fn of(store: &Store) -> Self {
        Self {
            store: store.whole(),
            open: None,
            limit: FILE,
            most: FILES,
        }
    }

    /// With other limits, for tests.
    #[cfg(test)]
    pub(super) fn limited(store: &Store, limit: u64, most: usize) -> Self {
        Self {
            limit,
            most,
            ..Self::of(store)
        }
    }

    /// Appends a line; returns its number. Not synced: it survives a killed process, but a power cut may
    /// take the last lines.
    ///
    /// # Errors
    /// The log cannot be written. The next line says so, whoever writes it, if that could be noted.
    pub fn append(&mut self, entry: &AuditEntry) -> Result<u64, Unwritten> {
        let lock = files::head_file(&self.store).lock();
        let _lock = lock.map_err(|error| Unwritten {
            error,
            noted: false,
        })?;
        self.append_locked(entry).map_err(|error| Unwritten {
            error,
            noted: note_missed(&self.store, 1 + entry.missed.unwrap_or(0)),
        })
    }

    fn append_locked(&mut self, entry: &AuditEntry) -> Result<u64, StoreError> {
        let known = self.open.take();
        let mut open = match known.filter(|open| open.is_current(&self.store)) {
            Some(open) => open,
            None => self.opened()?,
        };
        if open.size >= self.limit {
            open = self.turned(open)?;
        }
        let seq = open.append(entry)?;
        self.open = Some(open);
        Ok(seq)
    }

    /// The log as it is on disk, repaired.
    fn opened(&self) -> Result<Open, StoreError> {
        let folder = files::folder(&self.store);
        let all = files::list(&folder)?;
        let known = head::read(&self.store)?;
        let mut head = known.clone().unwrap_or_else(|| Head {
            first: all.first().map_or(1, |file| file.first),
            last: 0,
            hash: line::origin(),
            missed: 0,
        });
        let path = match all.last() {
            Some(last) => last.path.clone(),
            None => files::path(&folder, head.last + 1),
        };
        let text = files::read(&path)?;
        // A first writer that found the disk full has left a file without anything in it.
        let is_new = match all.as_slice() {
            [] => true,
            [only] => only.first == 1 && text.is_empty(),
            _ => false,
        };
        let had_head = known.is_some() || is_new;
        let torn = last_lines(&text, &mut head);
        let file = appending(&path)?;
        let mut notes = Vec::new();
        if !had_head {
            notes.push(note(NO_HEAD, json!({})));
        }
        let size = text.len() - torn.len();
        if !torn.is_empty() {
            let aside = path.with_extension(format!("torn-{}", head.last + 1));
            atomic::write(&aside, torn)?;
            file.set_len(size as u64).map_err(StoreError::at(&path))?;
            let name = aside.file_name().unwrap_or_default().to_string_lossy();
            let about = json!({ "bytes": torn.len(), "sha256": line::hash(torn), "kept": name });
            notes.push(note(TORN, about));
        }
        let head_file = head::open(&self.store)?;
        // So that a missing head always means that somebody has removed it.
        head::write(&head_file, &head).map_err(StoreError::at(&folder))?;
        let mut open = Open {
            path,
            file,
            head_file,
            head,
            size: size as u64,
        };
        for note in notes {
            open.append(&note)?;
        }
        Ok(open)
    }

    /// Begins a new file, and removes the oldest.
    fn turned(&self, open: Open) -> Result<Open, StoreError> {
        let folder = files::folder(&self.store);
        let path = files::path(&folder, open.head.last + 1);
        let file = appending(&path)?;
        let mut open = Open {
            path,
            file,
            size: 0,
            ..open
        };
        let all = files::list(&folder)?;
        let (old, kept) = all.split_at(all.len().saturating_sub(self.most));
        if let (false, Some(oldest)) = (old.is_empty(), kept.first()) {
            open.head.first = oldest.first;
            head::write(&open.head_file, &open.head).map_err(StoreError::at(&folder))?;
            for one in old {
                fs::remove_file(&one.path).map_err(StoreError::at(&one.path))?;
            }
        }
        Ok(open)
    }
}

impl Open {
    /// Whether nobody else has written since.
    fn is_current(&self, store: &Store) -> bool {
        let same = self.path.metadata().is_ok_and(|now| {
            let ours = self.file.metadata();
            now.len() == self.size && ours.is_ok_and(|ours| is_same(&now, &ours))
        });
        same && matches!(head::read(store), Ok(Some(head)) if head == self.head)
    }

    fn append(&mut self, entry: &AuditEntry) -> Result<u64, StoreError> {
        let failed = StoreError::at(&self.path);
        let seq = self.head.last + 1;
        let missed = entry.missed.unwrap_or(0) + self.head.missed;
        let entry = AuditEntry {
            missed: (missed > 0).then_some(missed),
            ..entry.clone()
        };
        let (text, hash) =
            line::write(seq, &entry, &self.head.hash).map_err(StoreError::at(&self.path))?;
        if let Err(error) = self.file.write_all(&text) {
            // A full disk; what was written of the line is none.
            let _ = self.file.set_len(self.size);
            return Err(failed(error));
        }
        self.size += text.len() as u64;
        self.head.last = seq;
        self.head.hash = hash;
        self.head.missed = 0;
        head::write(&self.head_file, &self.head).map_err(failed)?;
        Ok(seq)
    }
}

/// Counts lines that could not be written, in the head: it is there already, so a full disk has room for it. The
/// caller holds the lock.
fn note_missed(store: &Store, lines: u64) -> bool {
    let Ok(Some(mut head)) = head::read(store) else {
        return false;
    };
    head.missed += lines;
    head::open(store).is_ok_and(|file| head::write(&file, &head).is_ok())
}

fn is_same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Moves the head to the last line, if a killed writer had no time to; returns what stands after it.
/// If lines that the head knows are missing, it stays, so that the gap is seen for ever.
fn last_lines<'a>(text: &'a [u8], head: &mut Head) -> &'a [u8] {
    let (lines, torn) = line::split(text);
    if let Some(Ok(last)) = lines.last().map(line::read)
        && last.seq > head.last
    {
        head.last = last.seq;
        head.hash = last.hash;
    }
    torn
}

fn appending(path: &PathBuf) -> Result<File, StoreError> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(dirs::PRIVATE_FILE)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(path)
        .map_err(StoreError::at(path))
}

/// A line about the log itself.
fn note(operation: &str, about: serde_json::Value) -> AuditEntry {
    let what = match about {
        serde_json::Value::Object(fields) => fields.into_iter().collect(),
        _ => Default::default(),
    };
    AuditEntry {
        time: Timestamp::now(),
        session: None,
        client: None,
        front: None,
        token: None,
        pid: Some(std::process::id()),
        operation: operation.to_owned(),
        what,
        code: "OK".to_owned(),
        effect: "none".to_owned(),
        ms: 0,
        missed: None,
    }
}
