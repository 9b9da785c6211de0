//! The temporary folder of a browser: Chromium puts the socket of its lock there, among others, and
//! leaves it behind when it is killed. With a folder of its own, nothing it leaves there stays.

use std::path::{Path, PathBuf};

use crate::{StoreError, dirs, stand_in, trash};

/// Chromium adds up to 45 bytes for its socket, `/org.chromium.Chromium.XXXXXX/SingletonSocket`.
const LONGEST: usize = 60;

/// Creates the temporary folder for the browser of a user data dir, empty and with mode 0700.
///
/// Call it with the profile's lock held, while no browser uses the user data dir.
///
/// # Errors
/// [`StoreError`], if the folder of all of them belongs to another user, or cannot be written.
pub fn renew(user_data_dir: &Path) -> Result<PathBuf, StoreError> {
    let folder = path(user_data_dir);
    stand_in::make_parent(&folder)?;
    trash::remove(&folder).map_err(StoreError::at(&folder))?;
    dirs::make_private(&folder)?;
    Ok(folder)
}

/// Removes it with everything in it. What cannot be removed is left for the next [`renew`].
pub fn remove(user_data_dir: &Path) {
    let folder = path(user_data_dir);
    if let Err(error) = trash::remove(&folder) {
        tracing::debug!(folder = %folder.display(), %error, "a browser's temporary folder stays");
    }
}

fn path(user_data_dir: &Path) -> PathBuf {
    stand_in::path(user_data_dir, "", LONGEST)
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
        assert_ne!(renew(&one).unwrap(), renew(&other).unwrap());
        remove(&one);
        assert!(!path(&one).exists() && path(&other).exists());
        remove(&other);
    }
}
