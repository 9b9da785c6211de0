//! Where a keeper answers: a Unix socket, whose path must be short.

use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{Profile, StoreError, dirs};

/// The system allows 104 to 108 bytes, including the terminator.
const LONGEST: usize = 100;

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
        own_folder(far.parent().unwrap_or(Path::new("/")))?;
        Ok(far)
    }

    /// The socket outside the profile, for cleanup; `None` if it is inside.
    pub(crate) fn stray_socket(&self) -> Option<PathBuf> {
        (!fits(&self.file("keeper.sock"))).then(|| self.far_socket())
    }

    fn far_socket(&self) -> PathBuf {
        let uid = rustix::process::geteuid().as_raw();
        let mut name = String::new();
        for byte in &Sha256::digest(self.dir().as_os_str().as_bytes())[..8] {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        let rest = format!("szk-{uid}/{name}.sock");
        let chosen = std::env::temp_dir().join(&rest);
        // A temporary folder too deep for a socket is as good as none.
        if fits(&chosen) {
            chosen
        } else {
            Path::new("/tmp").join(rest)
        }
    }
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= LONGEST
}

fn own_folder(folder: &Path) -> Result<(), StoreError> {
    let foreign = |owner: u32| StoreError::Foreign {
        path: folder.to_owned(),
        reason: format!("it belongs to user {owner}"),
    };
    let me = rustix::process::geteuid().as_raw();
    // Checked before changing it (root could change anyone's), and again after creating it.
    for made in [false, true] {
        if made {
            dirs::make_private(folder)?;
        }
        dirs::check_real(folder)?;
        if let Ok(metadata) = fs::symlink_metadata(folder)
            && metadata.uid() != me
        {
            return Err(foreign(metadata.uid()));
        }
    }
    Ok(())
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

    #[test]
    fn a_folder_that_is_not_ours_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(matches!(own_folder(&link), Err(StoreError::Foreign { .. })));
        if rustix::process::geteuid().is_root() {
            let theirs = dir.path().join("theirs");
            fs::create_dir(&theirs).unwrap();
            std::os::unix::fs::chown(&theirs, Some(65534), None).unwrap();
            let error = own_folder(&theirs).unwrap_err();
            assert!(
                error.to_string().ends_with("it belongs to user 65534"),
                "{error}"
            );
        } else {
            assert!(matches!(
                own_folder(Path::new("/")),
                Err(StoreError::Foreign { .. })
            ));
        }
    }
}
