//! The file with the store's secrets. This module knows only that it is encrypted.

use std::path::PathBuf;

use crate::shared_file::{SharedFile, SharedFileLock};
use crate::{Store, StoreError};

/// Its name in the store; the dot keeps it from being a profile's name.
const FILE: &str = ".secrets";

/// Where earlier versions of szk kept them, in another format.
const OLD: &str = ".secrets.age";

/// Longest file of secrets, in bytes.
const LONGEST: u64 = 64 << 20;

/// The right to change the file, held from reading it until it is written.
pub type VaultLock = SharedFileLock;

impl Store {
    fn vault(&self) -> SharedFile {
        SharedFile::of(self, FILE, LONGEST)
    }

    /// Where the file is or would be.
    #[must_use]
    pub fn vault_path(&self) -> PathBuf {
        self.vault().path().to_owned()
    }

    /// The file of an earlier version of szk, if there is one. It is never written or removed.
    #[must_use]
    pub fn old_vault(&self) -> Option<PathBuf> {
        let path = self.root().join(OLD);
        path.symlink_metadata().is_ok().then_some(path)
    }

    /// Its content; `None` if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_vault(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.vault().read()
    }

    /// Replaces it, mode 0600; the old one stays intact until the new one is complete.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_vault(&self, lock: &VaultLock, content: &[u8]) -> Result<(), StoreError> {
        self.vault().write(lock, content)
    }

    /// Waits until no one else is changing it.
    ///
    /// # Errors
    /// The lock file cannot be created.
    pub fn lock_vault(&self) -> Result<VaultLock, StoreError> {
        self.vault().lock()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{mode, store};

    #[test]
    fn it_is_private_and_no_profile() {
        let (_dir, store) = store();
        assert_eq!(store.read_vault().unwrap(), None);
        let lock = store.lock_vault().unwrap();
        store.write_vault(&lock, b"x").unwrap();
        assert_eq!(store.read_vault().unwrap().unwrap(), b"x");
        assert_eq!(mode(&store.vault_path()), 0o600);
        assert!(store.list().unwrap().is_empty());
    }

    #[test]
    fn the_file_of_an_earlier_version_is_found() {
        let (_dir, store) = store();
        assert_eq!(store.old_vault(), None);
        let old = store.root().join(".secrets.age");
        std::fs::create_dir_all(store.root()).unwrap();
        std::fs::write(&old, "x").unwrap();
        assert_eq!(store.old_vault(), Some(old));
        assert_eq!(store.read_vault().unwrap(), None);
        assert!(store.list().unwrap().is_empty());
    }

    #[test]
    fn changes_wait_for_each_other() {
        let (_dir, store) = store();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let lock = store.lock_vault().unwrap();
                        let mut content = store.read_vault().unwrap().unwrap_or_default();
                        content.push(b'x');
                        store.write_vault(&lock, &content).unwrap();
                    }
                });
            }
        });
        assert_eq!(store.read_vault().unwrap().unwrap().len(), 100);
    }
}
