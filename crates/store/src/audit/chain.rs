//! Whether the lines are those that were written. It does no I/O.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::files::LogFile;
use super::head::Head;
use super::line;

/// What checking the log found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Lines that are as they were written, up to the first that is not.
    pub lines: u64,
    /// The number of the oldest of them; older ones made room for newer ones.
    pub first: u64,
    /// The number of the last of them.
    pub last: u64,
    /// The hash of the last of them.
    pub hash: String,
    /// The file of the last of them, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The first place where the log is not as it was written.
    pub broken: Option<Break>,
}

/// A place where the log is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The file; the head if there is no other.
    pub file: PathBuf,
    /// The line in it, from 1; 0 if there is none.
    pub line: usize,
    /// What is wrong there.
    #[serde(flatten)]
    pub fault: Fault,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match (self.line, &self.fault) {
            (0, Fault::Cut { from, to }) => {
                let told = match from == to {
                    true => format!("number {from}"),
                    false => format!("numbers {from} to {to}"),
                };
                write!(f, "{file}: it tells of {told}, and no line is left")
            }
            (line, fault) => write!(f, "{file}:{line}: {fault}"),
        }
    }
}

/// What is wrong at a place of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The line is not the one that was written there.
    Changed,
    /// Lines before this one are missing.
    Removed {
        /// The number of the first of them.
        from: u64,
        /// The number of the last of them.
        to: u64,
    },
    /// The line belongs elsewhere.
    Moved {
        /// Its number.
        seq: u64,
        /// The number that belongs here.
        expected: u64,
    },
    /// The line does not follow from the one before.
    Unlinked {
        /// Its number.
        seq: u64,
    },
    /// Lines are missing after this one.
    Cut {
        /// The number of the first of them.
        from: u64,
        /// The number of the last of them.
        to: u64,
    },
    /// The head is missing, so nothing says where the log ends.
    NoHead,
    /// The head does not belong to the last line.
    OtherHead,
    /// The writer had to begin anew here, because the head was missing.
    HadNoHead {
        /// The number of the line that says so.
        seq: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |f: &mut fmt::Formatter<'_>, from: &u64, to: &u64, end: &str| match from == to {
            true => write!(f, "number {from} is missing {end}"),
            false => write!(f, "numbers {from} to {to} are missing {end}"),
        };
        match self {
            Self::Changed => f.write_str("this line was changed"),
            Self::Removed { from, to } => range(f, from, to, "before this line"),
            Self::Moved { seq, expected } => {
                write!(f, "number {seq} stands where number {expected} belongs")
            }
            Self::Unlinked { seq } => {
                write!(f, "number {seq} does not follow from the line before")
            }
            Self::Cut { from, to } => range(f, from, to, "after this line"),
            Self::NoHead => f.write_str(
                "the head is missing or damaged, so lines may be missing after this one",
            ),
            Self::OtherHead => f.write_str("the head belongs to another last line"),
            Self::HadNoHead { seq } => write!(
                f,
                "the head was missing when number {seq} was written, so lines may be missing before it"
            ),
        }
    }
}

/// The operation of the line that says that the head was missing.
pub(super) const NO_HEAD: &str = "audit_head_missing";

/// Checks one file after another.
pub(super) struct Check {
    head: Option<Head>,
    found: Verified,
    /// The last place that was looked at.
    at: (PathBuf, usize),
    started: bool,
}

impl Check {
    /// With the head, and the file that it is in.
    pub(super) fn of(head: Option<Head>, file: PathBuf) -> Self {
        Self {
            found: Verified {
                hash: line::origin(),
                ..Verified::default()
            },
            head,
            at: (file, 0),
            started: false,
        }
    }

    /// The next file. What stands after its last complete line is no fault: a writer that was killed left
    /// it, and the next one sets it aside.
    pub(super) fn file(&mut self, file: &LogFile, text: &[u8]) {
        let oldest = self.head.as_ref().map_or(0, |head| head.first);
        // A file that made room, and could not be removed.
        if !self.started && file.first < oldest {
            return;
        }
        let (lines, _) = line::split(text);
        for (number, text) in lines.enumerate() {
            if self.found.broken.is_some() {
                return;
            }
            self.at = (file.path.clone(), number + 1);
            if let Err(fault) = self.line(text) {
                self.broken(fault);
            }
        }
    }

    fn line(&mut self, text: &[u8]) -> Result<(), Fault> {
        let line = line::read(text).map_err(|()| Fault::Changed)?;
        if !self.started {
            self.started = true;
            // The lines before made room; what the first one follows from is gone with them.
            let oldest = self.head.as_ref().map_or(line.seq, |head| head.first);
            self.found.first = line.seq;
            self.found.last = oldest.saturating_sub(1);
            if line.seq == oldest && oldest > 1 {
                self.found.hash.clone_from(&line.prev);
            }
        }
        let expected = self.found.last + 1;
        if line.seq > expected {
            return Err(Fault::Removed {
                from: expected,
                to: line.seq - 1,
            });
        }
        if line.seq < expected {
            let seq = line.seq;
            return Err(Fault::Moved { seq, expected });
        }
        if line.prev != self.found.hash {
            return Err(Fault::Unlinked { seq: line.seq });
        }
        if line.entry.operation == NO_HEAD {
            return Err(Fault::HadNoHead { seq: line.seq });
        }
        // A writer that was killed had no time for the head: lines after it are good if they follow.
        if let Some(head) = &self.head
            && head.last == line.seq
            && head.hash != line.hash
        {
            return Err(Fault::OtherHead);
        }
        self.found.lines += 1;
        self.found.last = line.seq;
        self.found.hash = line.hash;
        self.found.file = Some(self.at.0.clone());
        Ok(())
    }

    /// What was found in all files.
    pub(super) fn end(mut self) -> Verified {
        if self.found.broken.is_none() {
            let last = self.found.last;
            match &self.head {
                None if self.started => self.broken(Fault::NoHead),
                Some(head) if head.last > last => {
                    let to = head.last;
                    // Without any line, all that the head knows of are gone.
                    let from = match self.started {
                        true => last + 1,
                        false => head.first,
                    };
                    self.broken(Fault::Cut { from, to });
                }
                _ => {}
            }
        }
        self.found
    }

    fn broken(&mut self, fault: Fault) {
        let (file, line) = self.at.clone();
        self.found.broken = Some(Break { file, line, fault });
    }
}
