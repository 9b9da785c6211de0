//! The temporary folder of a browser: Chromium puts the socket of its lock there, among others, and
//! leaves it behind when it is killed. With a folder of its own, nothing it leaves there stays.

use std::path::{Path, PathBuf};

use crate::{StoreError, dirs, stand_in, trash};

/// Chromium adds up to 45 bytes for its socket, `/org.chromium.Chromium.XXXXXX/SingletonSocket`.
const LONGEST: usize = 60;

/// Creates a temporary folder for the browser that this process is about to start, empty and with mode
/// 0700, and removes those of earlier browsers of the same user data dir.
///
/// Call it with the profile's lock held. If the profile's folder was deleted, a browser of another keeper
/// may still be exiting: its folder goes, and ours is another one.
///
/// # Errors
/// [`StoreError`], if the folder of all of them belongs to another user, or cannot be written.
pub fn renew(user_data_dir: &Path) -> Result<PathBuf, StoreError> {
    let folder = path(user_data_dir, &format!("-{}", std::process::id()));
    stand_in::make_parent(&folder)?;
    remove_all(user_data_dir);
    trash::remove(&folder).map_err(StoreError::at(&folder))?;
    dirs::make_private(&folder)?;
    Ok(folder)
}

/// Removes one, with everything in it. If that fails, the next [`renew`] tries again.
pub fn remove(folder: &Path) {
    if let Err(error) = trash::remove(folder) {
        tracing::debug!(folder = %folder.display(), %error, "a browser's temporary folder stays");
    }
}

/// Removes those of all browsers that a user data dir had.
pub(crate) fn remove_all(user_data_dir: &Path) {
    let start = path(user_data_dir, "-");
    let is_one = |folder: &PathBuf| {
        let folder = folder.as_os_str().as_encoded_bytes();
        folder.starts_with(start.as_os_str().as_encoded_bytes())
    };
    let folders = trash::paths(start.parent().unwrap_or(Path::new("/")));
    folders
        .into_iter()
        .filter(is_one)
        .for_each(|it| remove(&it));
}

/// Process ids have up to seven digits.
fn path(user_data_dir: &Path, suffix: &str) -> PathBuf {
    stand_in::path(user_data_dir, suffix, LONGEST - 8 + suffix.len())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{mode, profile};

    #[test]
    fn it_starts_empty_is_private_and_goes_with_the_profile() {
        let (_dir, profile) = profile();
        profile.create().unwrap();
        let folder = renew(&profile.user_data_dir()).unwrap();
        assert!(folder.as_os_str().len() <= LONGEST, "{}", folder.display());
        assert_eq!(mode(&folder), 0o700);
        fs::create_dir(folder.join("org.chromium.Chromium.abcdef")).unwrap();
        assert_eq!(renew(&profile.user_data_dir()).unwrap(), folder);
        assert!(trash::paths(&folder).is_empty());
        let lock = profile.lock().unwrap();
        profile.trash(lock).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn every_browser_has_its_own() {
        let (dir, _profile) = profile();
        let (one, other) = (dir.path().join("a"), dir.path().join("b"));
        let ours = renew(&one).unwrap();
        let theirs = renew(&other).unwrap();
        assert_ne!(ours, theirs);
        let of_an_earlier_keeper = path(&one, "-1");
        fs::create_dir(&of_an_earlier_keeper).unwrap();
        assert_eq!(renew(&one).unwrap(), ours);
        assert!(!of_an_earlier_keeper.exists());
        remove(&ours);
        assert!(!ours.exists() && theirs.exists());
        remove(&theirs);
    }
}
