//! `filled.sealed`: the secrets that were filled in for a profile. This module knows only that the file
//! is encrypted.
//!
//! The profile's pages, their addresses and titles may still hold them when it is opened again.

use std::io;
use std::path::PathBuf;

use crate::{Profile, StoreError, atomic};

/// Its name in the profile.
const FILE: &str = "filled.sealed";

/// Longest file, in bytes.
const LONGEST: u64 = 16 << 20;

impl Profile {
    /// Where the file is or would be.
    #[must_use]
    pub fn filled_path(&self) -> PathBuf {
        self.file(FILE)
    }

    /// Its content; `None` if it does not exist, or something else stands in its place.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_filled(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.check()?;
        let path = self.filled_path();
        match szk_files::read_own(&path, LONGEST) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) if szk_files::is_unusable(&e) => Ok(None),
            Err(e) => Err(StoreError::at(&path)(e)),
        }
    }

    /// Replaces it, mode 0600; the old one stays intact until the new one is complete. The caller holds
    /// the profile's lock.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_filled(&self, content: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        let path = self.filled_path();
        atomic::make_way(&path)?;
        atomic::write(&path, content)
    }

    /// Copies it to a copy, whose pages are the same. The caller holds the copy's lock.
    ///
    /// # Errors
    /// A file is unreadable or cannot be written.
    pub fn copy_filled_to(&self, copy: &Profile) -> Result<(), StoreError> {
        match self.read_filled()? {
            Some(content) => copy.write_filled(&content),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{mode, named, profile};

    #[test]
    fn it_is_private_and_goes_along_with_a_copy() {
        let (_dir, profile) = profile();
        let copy = named(profile.store(), "copy");
        copy.create().unwrap();
        profile.copy_filled_to(&copy).unwrap();
        assert_eq!(copy.read_filled().unwrap(), None);
        profile.write_filled(b"sealed").unwrap();
        profile.copy_filled_to(&copy).unwrap();
        assert_eq!(copy.read_filled().unwrap().unwrap(), b"sealed");
        assert_eq!(mode(&copy.filled_path()), 0o600);
    }
}
