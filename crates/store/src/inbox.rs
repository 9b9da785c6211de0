//! Files that came from elsewhere: what a request over the network brings, kept privately until it is used.
//!
//! Each file has a folder of its own, so that it keeps the name it came with: pages see that name.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::{Profile, Store, StoreError, atomic, dirs, trash};

/// Longest name of a file, in bytes.
const LONGEST_NAME: usize = 200;

/// A file is kept for this long: a page reads a chosen file only when it needs it.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Where files arrive.
#[derive(Debug, Clone)]
pub struct Inbox {
    dir: PathBuf,
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
    /// It could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Profile {
    /// Where files for its pages arrive. It is among the artifacts, which calls may always read.
    pub fn inbox(&self) -> Inbox {
        Inbox {
            dir: self.artifacts_dir().join("uploads"),
        }
    }
}

impl Store {
    /// Where archives of profiles that do not exist yet arrive.
    pub fn inbox(&self) -> Inbox {
        Inbox {
            dir: self.root().join(".uploads"),
        }
    }
}

impl Inbox {
    /// Begins a file of this name, in a new folder. Removes what arrived long ago.
    ///
    /// # Errors
    /// [`InboxError`].
    pub fn begin(&self, name: &str) -> Result<Incoming, InboxError> {
        check_name(name)?;
        self.sweep();
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

    fn sweep(&self) {
        if dirs::check_real(&self.dir).is_err() {
            return;
        }
        for path in trash::paths(&self.dir) {
            let modified = fs::symlink_metadata(&path).and_then(|found| found.modified());
            if modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= KEPT)) {
                remove(&path);
            }
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
}

impl Incoming {
    /// Adds to it.
    ///
    /// # Errors
    /// The disk's error.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(StoreError::at(&self.target))
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
}
