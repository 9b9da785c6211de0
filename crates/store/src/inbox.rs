//! Files that came from elsewhere: what a request over the network brings, kept privately until it is used.
//!
//! Each file has a folder of its own, so that it keeps the name it came with: pages see that name.

mod quota;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use self::quota::Quota;
use crate::{Profile, Store, StoreError, atomic, dirs, trash};

/// Longest name of a file, in bytes.
const LONGEST_NAME: usize = 200;

/// A file is kept for this long: a page reads a chosen file only when it needs it.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// The folder in the artifacts of a profile.
const UPLOADS: &str = "uploads";

/// Where files arrive.
#[derive(Debug, Clone)]
pub struct Inbox {
    dir: PathBuf,
    /// The folder of the store.
    root: PathBuf,
    /// Bytes that all inboxes of the store may hold together.
    most: Option<u64>,
}

/// Why a file was not taken.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// Its name cannot be that of a file.
    #[error("a file cannot be called `{}`: {why}", name.escape_debug())]
    Name {
        /// The name, shortened.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// What has arrived takes as much as it may.
    #[error("the files that were brought here take {} MB together, which is all that they may", most >> 20)]
    Full {
        /// The limit in bytes.
        most: u64,
    },
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Profile {
    /// Where files for its pages arrive. It is among the artifacts, which calls may always read.
    pub fn inbox(&self) -> Inbox {
        Inbox {
            dir: self.artifacts_dir().join(UPLOADS),
            root: self.store().root().to_owned(),
            most: None,
        }
    }
}

impl Store {
    /// Where archives of profiles that do not exist yet arrive.
    pub fn inbox(&self) -> Inbox {
        Inbox {
            dir: store_dir(self.root()),
            root: self.root().to_owned(),
            most: None,
        }
    }

    /// Removes what arrived long ago, in all profiles.
    pub fn sweep_inboxes(&self) {
        quota::inboxes(self.root()).for_each(|dir| sweep(&dir));
    }
}

fn store_dir(root: &Path) -> PathBuf {
    root.join(".uploads")
}

impl Inbox {
    /// The same inbox, which takes nothing once all inboxes of the store hold this many bytes.
    #[must_use]
    pub fn within(self, most: Option<u64>) -> Self {
        Self { most, ..self }
    }

    /// Begins a file of this name, in a new folder. Removes what arrived long ago.
    ///
    /// # Errors
    /// [`InboxError`].
    pub fn begin(&self, name: &str) -> Result<Incoming, InboxError> {
        check_name(name)?;
        sweep(&self.dir);
        let most = self.most.map(|most| Quota::begin(&self.root, most));
        let quota = most.transpose()?;
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::at(&self.dir)(io::Error::other(error)))?;
        dirs::make_private(&self.dir)?;
        let folder = self.dir.join(hex(&bytes));
        dirs::make_private(&folder)?;
        let file = tempfile::Builder::new()
            .prefix(".arriving.")
            .tempfile_in(&folder)
            .map_err(StoreError::at(&folder))?;
        Ok(Incoming {
            target: folder.join(name),
            folder: Folder(Some(folder)),
            file,
            hash: Sha256::new(),
            bytes: 0,
            quota,
        })
    }

    /// Where a file of this name may be written by somebody else, in a new folder.
    ///
    /// # Errors
    /// [`InboxError`].
    pub fn place(&self, name: &str) -> Result<Received, InboxError> {
        let Incoming { target, folder, .. } = self.begin(name)?;
        Ok(Received {
            path: target,
            bytes: 0,
            sha256: String::new(),
            folder,
        })
    }
}

fn sweep(dir: &Path) {
    if dirs::check_real(dir).is_err() {
        return;
    }
    for path in trash::paths(dir) {
        let modified = fs::symlink_metadata(&path).and_then(|found| found.modified());
        if modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= KEPT)) {
            remove(&path);
        }
    }
}

/// A file that is arriving. It goes when this is dropped.
#[derive(Debug)]
pub struct Incoming {
    target: PathBuf,
    folder: Folder,
    file: NamedTempFile,
    hash: Sha256,
    bytes: u64,
    quota: Option<Quota>,
}

impl Incoming {
    /// Adds to it.
    ///
    /// # Errors
    /// The disk's error, or [`InboxError::Full`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), InboxError> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        if let Some(quota) = &mut self.quota {
            quota.check(self.bytes)?;
        }
        let written = self.file.write_all(bytes);
        Ok(written.map_err(StoreError::at(&self.target))?)
    }

    /// It is complete.
    ///
    /// # Errors
    /// The disk's error.
    pub fn finish(self) -> Result<Received, StoreError> {
        let synced = self.file.as_file().sync_all();
        synced.map_err(StoreError::at(&self.target))?;
        atomic::replace(self.file, &self.target)?;
        Ok(Received {
            path: self.target,
            bytes: self.bytes,
            sha256: hex(&self.hash.finalize()),
            folder: self.folder,
        })
    }
}

/// A file that has arrived. It goes when this is dropped, unless it is kept.
#[derive(Debug)]
pub struct Received {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The digest of its content, in hexadecimal.
    pub sha256: String,
    folder: Folder,
}

impl Received {
    /// Leaves it where it is, for a day.
    pub fn keep(mut self) {
        self.folder.0 = None;
    }
}

/// A folder that goes with everything in it, if it is still here.
#[derive(Debug)]
struct Folder(Option<PathBuf>);

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            remove(folder);
        }
    }
}

fn remove(folder: &Path) {
    if let Err(error) = trash::remove(folder) {
        tracing::debug!(folder = %folder.display(), %error, "an arrived file stays");
    }
}

fn check_name(name: &str) -> Result<(), InboxError> {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST_NAME {
        "it is too long"
    } else if name == "." || name == ".." {
        "that is a folder"
    } else if name.contains(['/', '\\']) {
        "it has a folder in it"
    } else if name.chars().any(char::is_control) {
        "it has a control character in it"
    } else {
        return Ok(());
    };
    Err(InboxError::Name {
        name: name.chars().take(40).collect(),
        why,
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::SystemTime;

    use super::*;
    use crate::testing::{mode, names, profile};

    #[test]
    fn a_file_arrives_whole_and_private_and_goes_unless_it_is_kept() {
        let (_dir, profile) = profile();
        let inbox = profile.inbox();
        let mut incoming = inbox.begin("cv.pdf").unwrap();
        incoming.write(b"ab").unwrap();
        incoming.write(b"c").unwrap();
        let received = incoming.finish().unwrap();
        assert_eq!(fs::read(&received.path).unwrap(), b"abc");
        assert_eq!((received.bytes, mode(&received.path)), (3, 0o600));
        assert!(received.sha256.starts_with("ba7816bf"));
        assert_eq!(received.path.file_name().unwrap(), "cv.pdf");
        let path = received.path.clone();
        received.keep();
        assert!(path.exists());
        // One that broke off, and one that nobody kept.
        inbox.begin("b").unwrap().write(b"x").unwrap();
        drop(inbox.begin("c").unwrap().finish().unwrap());
        assert_eq!(names(&inbox.dir).len(), 1);
    }

    #[test]
    fn names_are_those_of_files() {
        let (_dir, profile) = profile();
        let inbox = profile.inbox();
        for wrong in [
            "",
            ".",
            "..",
            "a/b",
            "..\\b",
            "a\nb",
            "a\0",
            &"x".repeat(201),
        ] {
            assert!(
                matches!(inbox.begin(wrong), Err(InboxError::Name { .. })),
                "{wrong:?}"
            );
        }
        for right in [".env", "a..b", "Lebenslauf für Ö.pdf"] {
            inbox.begin(right).unwrap();
        }
    }

    #[test]
    fn what_arrived_long_ago_goes() {
        let (_dir, profile) = profile();
        let inbox = profile.inbox();
        let kept = |name: &str| {
            let received = inbox.begin(name).unwrap().finish().unwrap();
            let folder = received.path.parent().unwrap().to_owned();
            received.keep();
            folder
        };
        let old = kept("old");
        let new = kept("new");
        let times = FileTimes::new().set_modified(SystemTime::now() - KEPT);
        File::open(&old).unwrap().set_times(times).unwrap();
        drop(inbox.begin("next").unwrap());
        assert!(!old.exists() && new.exists());
    }

    #[test]
    fn all_files_that_arrive_have_a_limit_together() {
        let (_dir, profile) = profile();
        let (most, piece) = (40 << 10, [0; 1 << 10]);
        let here = || profile.inbox().within(Some(most));
        let there = || profile.store().inbox().within(Some(most));
        let brings = |inbox: Inbox, pieces: usize| {
            let mut incoming = inbox.begin("a")?;
            (0..pieces).try_for_each(|_| incoming.write(&piece))?;
            Ok::<Received, InboxError>(incoming.finish()?)
        };
        let full = |outcome| matches!(outcome, Err(InboxError::Full { .. }));
        // One that is still arriving counts for others, though it was begun before them.
        let mut slow = here().begin("slow").unwrap();
        (0..17).for_each(|_| slow.write(&piece).unwrap());
        brings(there(), 20).unwrap().keep();
        assert!(full(brings(there(), 4)));
        let late = (0..20).try_for_each(|_| slow.write(&piece));
        assert!(matches!(late, Err(InboxError::Full { .. })));
        drop(slow);
        let kept = brings(here(), 20).unwrap();
        assert!(full(brings(here(), 0)), "not even an empty one");
        assert!(brings(profile.inbox(), 1).is_ok(), "nobody set a limit");
        let (old, path) = (
            SystemTime::now() - KEPT,
            kept.path.parent().unwrap().to_owned(),
        );
        kept.keep();
        let times = FileTimes::new().set_modified(old);
        File::open(&path).unwrap().set_times(times).unwrap();
        profile.store().sweep_inboxes();
        assert!(!path.exists());
        assert!(brings(there(), 1).is_ok());
    }
}
