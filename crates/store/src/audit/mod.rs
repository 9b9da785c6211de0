//! The audit log of a store: one line for each call of any program on any of its sessions.
//!
//! All keepers of a store append to the same files, under one lock. Each line holds the hash of the line
//! before, over all files, and a small file, the head, holds the hash of the last line: a line that was
//! changed, removed or moved breaks the chain, and lines missing at the end are behind the head.
//! Whoever may write the store can make a whole new log; to find that out too, note what
//! [`Store::verify_audit`] returns as the last hash somewhere else.

mod chain;
mod files;
mod head;
mod line;
mod writer;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use chain::{Break, Fault, Verified};
pub use writer::{AuditWriter, Unwritten};

use crate::{Store, StoreError};

/// What a line says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When the call ended.
    pub time: Timestamp,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who called, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Through what: `mcp`, `cli`, `http`, or `endpoint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<String>,
    /// The name of its token of `szk serve`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The process that called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The operation, or what happened.
    pub operation: String,
    /// What it pointed at, without what was typed or secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub what: BTreeMap<String, Value>,
    /// `OK`, or the code of the failure.
    pub code: String,
    /// `none`, `done` or `unknown`: whether it changed anything.
    pub effect: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Lines before this one that could not be written, because the disk was full, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<u64>,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Its number; lines are numbered from 1 without gaps.
    pub seq: u64,
    /// What it says.
    #[serde(flatten)]
    pub entry: AuditEntry,
    /// The hash of the line before.
    pub prev: String,
    /// SHA-256 of the line without this field.
    pub hash: String,
}

impl Store {
    /// Appends to the log; it is created with the first line.
    #[must_use]
    pub fn audit(&self) -> AuditWriter {
        AuditWriter::of(self)
    }

    /// Calls `each` with every line after number `after` that can be read, in order.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn audit_lines(
        &self,
        after: u64,
        each: &mut dyn FnMut(AuditLine),
    ) -> Result<(), StoreError> {
        let folder = files::folder(self);
        let all = files::list(&folder)?;
        for (at, file) in all.iter().enumerate() {
            // The next file begins with the number in its name.
            let next = all.get(at + 1).map(|next| next.first);
            if next.is_some_and(|next| next <= after + 1) {
                continue;
            }
            let text = files::read(&file.path)?;
            let (lines, _) = line::split(&text);
            let lines = lines.filter_map(|line| line::read(line).ok());
            lines.filter(|line| line.seq > after).for_each(&mut *each);
        }
        Ok(())
    }

    /// Checks the whole chain.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn verify_audit(&self) -> Result<Verified, StoreError> {
        let folder = files::folder(self);
        if !folder.exists() {
            return Ok(Verified::default());
        }
        let lock = files::head_file(self).lock()?;
        let head = head::read(self)?;
        let mut check = chain::Check::of(head, files::head_path(self));
        for file in files::list(&folder)? {
            let text = files::read(&file.path)?;
            check.file(&file, &text);
        }
        drop(lock);
        Ok(check.end())
    }
}
