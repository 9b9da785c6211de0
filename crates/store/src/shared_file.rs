//! A file of the store that several processes read and change.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::retry_on_intr;

use crate::{Store, StoreError, atomic, dirs};

/// A private file in the store's folder. Its name begins with a dot, so it is never a profile's.
#[derive(Debug, Clone)]
pub struct SharedFile {
    path: PathBuf,
    lock: PathBuf,
    longest: u64,
}

/// The right to change a shared file, held from reading it until it is written.
#[derive(Debug)]
pub struct SharedFileLock(File);

impl Drop for SharedFileLock {
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

impl SharedFile {
    /// The file of this name, of at most `longest` bytes.
    pub(crate) fn of(store: &Store, name: &str, longest: u64) -> Self {
        Self {
            path: store.root().join(name),
            lock: store.root().join(format!("{name}.lock")),
            longest,
        }
    }

    /// Where the file is or would be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its content; `None` if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self) -> Result<Option<Vec<u8>>, StoreError> {
        match szk_files::read_own(&self.path, self.longest) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(StoreError::at(&self.path)(e)),
        }
    }

    /// Replaces it, mode 0600; the old one stays intact until the new one is complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, _lock: &SharedFileLock, content: &[u8]) -> Result<(), StoreError> {
        atomic::write(&self.path, content)
    }

    /// Waits until no one else is changing it.
    ///
    /// # Errors
    /// The lock file cannot be created.
    pub fn lock(&self) -> Result<SharedFileLock, StoreError> {
        if let Some(folder) = self.path.parent() {
            dirs::make_private(folder)?;
        }
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(dirs::PRIVATE_FILE)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
            .open(&self.lock)
            .map_err(StoreError::at(&self.lock))?;
        retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))
            .map_err(StoreError::at(&self.lock))?;
        Ok(SharedFileLock(file))
    }
}

impl Store {
    /// The tokens with which programs use `szk serve`: names, rights and hashes.
    #[must_use]
    pub fn tokens(&self) -> SharedFile {
        SharedFile::of(self, ".tokens", 4 << 20)
    }
}
