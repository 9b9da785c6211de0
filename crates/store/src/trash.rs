//! Deletes a profile: out of sight at once, off the disk as far as possible.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::{Profile, ProfileLock, Store, StoreError, atomic, dirs};

const TRASH: &str = ".trash";

/// What remains after deleting a profile.
#[derive(Debug, Default)]
pub struct Trashed {
    /// What could not be removed from the store's `.trash`, one error per deleted profile. The next
    /// deletion tries again.
    pub left: Vec<StoreError>,
}

impl Profile {
    /// Deletes the profile: renames it into the store's `.trash`, then removes it there along with
    /// leftovers of earlier deletions.
    ///
    /// An error means that nothing was deleted. On success the name is free, even if [`Trashed::left`]
    /// says that files remain.
    pub fn trash(self, lock: ProfileLock) -> Result<Trashed, StoreError> {
        self.check()?;
        lock.must_be_for(&self)?;
        let to = place(&self)?;
        fs::rename(self.dir(), &to).map_err(StoreError::at(self.dir()))?;
        atomic::sync_folder(self.store().root())?;
        drop(lock);
        self.remove_outside();
        Ok(Trashed {
            left: empty(self.store()),
        })
    }
}

/// Where the profile goes: into `.trash`. On a full disk even creating that folder may fail, and
/// deleting is the way out: then it goes beside it, under a name that is not a profile's either.
fn place(profile: &Profile) -> Result<PathBuf, StoreError> {
    let now = Timestamp::now().as_nanosecond();
    let name = format!("{}-{now}", profile.name());
    let root = profile.store().root();
    match dirs::make_private(&root.join(TRASH)) {
        Ok(()) => Ok(root.join(TRASH).join(name)),
        Err(e) if e.kind().is_some_and(is_full) => Ok(root.join(format!("{TRASH}-{name}"))),
        Err(e) => Err(e),
    }
}

fn is_full(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// What is in the trash, or beside it.
pub(crate) fn contents(store: &Store) -> Vec<PathBuf> {
    let trash = store.root().join(TRASH);
    let inside = match dirs::check_real(&trash) {
        Ok(()) => paths(&trash),
        Err(_) => Vec::new(),
    };
    let beside = paths(store.root()).into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(".trash-")
    });
    inside.into_iter().chain(beside).collect()
}

/// Removes everything in the trash. It no longer has a name or a keeper, so it does not matter whose
/// deletion it was, or whether that process is removing it too. The folder itself stays: another
/// deletion may be about to move something into it.
pub(crate) fn empty(store: &Store) -> Vec<StoreError> {
    let mut left = Vec::new();
    for path in contents(store) {
        if let Err(e) = remove(&path) {
            left.push(StoreError::at(&path)(e));
        }
    }
    left
}

pub(crate) fn paths(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Removes a file, a link or a folder with everything in it, even without write permission.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let attempt = || match fs::symlink_metadata(path) {
        Ok(m) if m.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match attempt() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(_) => {
            // A folder without write permission (some extensions have them) holds on to its content,
            // and files vanish under us if another process removes the same folder.
            open_up(path);
            match attempt() {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                other => return other,
            }
        }
        Ok(()) => {}
    }
    Ok(())
}

fn open_up(path: &Path) {
    if !fs::symlink_metadata(path).is_ok_and(|m| m.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(dirs::PRIVATE_DIR));
    for path in paths(path) {
        open_up(&path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{named, names, profile};

    fn trashed(profile: &Profile) -> Trashed {
        let lock = profile.lock().unwrap();
        profile.clone().trash(lock).unwrap()
    }

    #[test]
    fn a_deleted_profile_is_gone_and_its_name_is_free() {
        let (_dir, profile) = profile();
        let inside = profile.user_data_dir().join("Default/Extensions");
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join("x"), "x").unwrap();
        fs::set_permissions(&inside, fs::Permissions::from_mode(0o500)).unwrap();
        assert!(trashed(&profile).left.is_empty());
        assert!(!profile.exists() && !profile.dir().exists());
        assert!(names(&profile.store().root().join(".trash")).is_empty());
        profile.create().unwrap();
        assert!(trashed(&profile).left.is_empty());
    }

    #[test]
    fn links_in_a_profile_are_removed_and_not_followed() {
        let (dir, profile) = profile();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine"), "").unwrap();
        std::os::unix::fs::symlink(&outside, profile.user_data_dir().join("link")).unwrap();
        trashed(&profile);
        assert_eq!(names(&outside), ["mine"]);
    }

    #[test]
    fn what_an_earlier_deletion_left_is_removed_by_the_next() {
        let (_dir, profile) = profile();
        let trash = profile.store().root().join(".trash");
        fs::create_dir_all(trash.join("old-1/profile/Default")).unwrap();
        fs::write(trash.join("stray"), "").unwrap();
        assert!(trashed(&profile).left.is_empty());
        assert!(names(&trash).is_empty());
    }

    #[test]
    fn a_trash_that_leads_elsewhere_is_refused_and_nothing_is_deleted() {
        let (dir, profile) = profile();
        let outside = dir.path().join("outside");
        fs::create_dir_all(outside.join("mine")).unwrap();
        std::os::unix::fs::symlink(&outside, profile.store().root().join(".trash")).unwrap();
        let lock = profile.lock().unwrap();
        let error = profile.clone().trash(lock).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
        assert!(empty(profile.store()).is_empty());
        assert!(profile.dir().exists());
        assert_eq!(names(&outside), ["mine"]);
    }

    #[test]
    fn many_deletions_at_once_leave_nothing() {
        let (_dir, first) = profile();
        let profiles: Vec<Profile> = (0..8)
            .map(|n| named(first.store(), &format!("p{n}")))
            .collect();
        for profile in &profiles {
            for n in 0..20 {
                fs::create_dir_all(profile.user_data_dir().join(format!("d{n}/e/f"))).unwrap();
            }
        }
        std::thread::scope(|scope| {
            for profile in &profiles {
                scope.spawn(|| assert!(trashed(profile).left.is_empty()));
            }
        });
        assert!(names(&first.store().root().join(".trash")).is_empty());
    }
}
