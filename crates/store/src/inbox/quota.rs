//! How much all files that arrived in a store may take together.

use std::path::{Path, PathBuf};

use super::{InboxError, UPLOADS, store_dir};
use crate::{dirs, profile, trash};

/// Bytes of a file after which it looks again what others have brought meanwhile.
const LOOK: u64 = if cfg!(test) { 16 << 10 } else { 16 << 20 };

/// The limit as a file sees it while it arrives.
#[derive(Debug)]
pub(super) struct Quota {
    root: PathBuf,
    most: u64,
    /// What was there at the last look, with what had arrived of this file by then.
    used: u64,
    /// The length of this file at the last look.
    looked: u64,
}

impl Quota {
    /// For a file that begins; `most` is in bytes.
    ///
    /// # Errors
    /// [`InboxError::Full`].
    pub(super) fn begin(root: &Path, most: u64) -> Result<Self, InboxError> {
        let quota = Self {
            root: root.to_owned(),
            most,
            used: total(root),
            looked: 0,
        };
        match quota.used < most {
            true => Ok(quota),
            false => Err(InboxError::Full { most }),
        }
    }

    /// The file is going to have this length.
    ///
    /// # Errors
    /// [`InboxError::Full`].
    pub(super) fn check(&mut self, length: u64) -> Result<(), InboxError> {
        if length - self.looked > LOOK {
            self.used = total(&self.root);
            self.looked = length;
        }
        let used = self.used.saturating_add(length - self.looked);
        match used <= self.most {
            true => Ok(()),
            false => Err(InboxError::Full { most: self.most }),
        }
    }
}

/// The inboxes of a store: its own, and one of each profile.
pub(super) fn inboxes(root: &Path) -> impl Iterator<Item = PathBuf> {
    let of_profiles = trash::paths(root)
        .into_iter()
        .map(|profile| profile.join("artifacts").join(UPLOADS));
    std::iter::once(store_dir(root))
        .chain(of_profiles)
        .filter(|dir| dirs::check_real(dir).is_ok())
}

fn total(root: &Path) -> u64 {
    let sizes = inboxes(root).map(|dir| profile::size_of(&dir));
    sizes.fold(0, u64::saturating_add)
}
