//! Where a keeper answers: a Unix socket, whose path must be short.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Profile, StoreError, stand_in, temporary};

/// The system allows 104 to 108 bytes, including the terminator.
pub(crate) const LONGEST: usize = 100;

impl Profile {
    /// The keeper's socket: `keeper.sock` in the profile, or in a folder of the user's below the
    /// temporary directory if that path is too long for a socket.
    ///
    /// Only the latter touches the disk: the folder is created with mode 0700, and refused if it
    /// belongs to another user, who could answer in the keeper's place.
    pub fn socket_path(&self) -> Result<PathBuf, StoreError> {
        let near = self.file("keeper.sock");
        if fits(&near) {
            return Ok(near);
        }
        let far = self.far_socket();
        stand_in::make_parent(&far)?;
        Ok(far)
    }

    /// The socket outside the profile, for cleanup; `None` if it is inside.
    fn stray_socket(&self) -> Option<PathBuf> {
        (!fits(&self.file("keeper.sock"))).then(|| self.far_socket())
    }

    /// Removes what the profile has outside of its folder, when it goes or gets another name.
    pub(crate) fn remove_outside(&self) {
        if let Some(socket) = self.stray_socket() {
            let _ = fs::remove_file(socket);
        }
        temporary::remove_all(&self.user_data_dir());
    }

    fn far_socket(&self) -> PathBuf {
        stand_in::path(self.dir(), ".sock", LONGEST)
    }
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::testing::{mode, named, profile};

    fn deep() -> (tempfile::TempDir, Profile) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("d".repeat(90)));
        let profile = named(&store, "p");
        (dir, profile)
    }

    #[test]
    fn a_short_path_is_in_the_profile() {
        let (_dir, profile) = profile();
        assert_eq!(
            profile.socket_path().unwrap(),
            profile.dir().join("keeper.sock")
        );
        assert_eq!(profile.stray_socket(), None);
    }

    #[test]
    fn a_long_path_gets_a_short_private_stand_in_that_can_be_bound() {
        let (_dir, profile) = deep();
        let path = profile.socket_path().unwrap();
        assert!(fits(&path), "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(path, profile.socket_path().unwrap());
        assert_eq!(profile.stray_socket().as_ref(), Some(&path));
        let other = named(profile.store(), "q").socket_path().unwrap();
        assert_ne!(path, other);
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        profile.create().unwrap();
        let lock = profile.lock().unwrap();
        profile.trash(lock).unwrap();
        assert!(!path.exists(), "deleting the profile removes its socket");
    }
}
