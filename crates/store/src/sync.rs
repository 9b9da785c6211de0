//! Puts whole folders on disk, before something says that they are complete.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::{Profile, StoreError, atomic};

impl Profile {
    /// Makes everything in the profile survive a power cut. Takes as long as the disk does.
    ///
    /// # Errors
    /// The disk's error.
    pub fn sync(&self) -> Result<(), StoreError> {
        everything(self.dir())?;
        atomic::sync_folder(self.store().root())
    }
}

/// A profile has thousands of files: one request for the whole file system is faster than one for each.
fn everything(folder: &Path) -> Result<(), StoreError> {
    #[cfg(target_os = "linux")]
    {
        let synced = File::open(folder).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
        match synced {
            // Not allowed in some sandboxes.
            Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {}
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {}
            synced => return synced.map_err(StoreError::at(folder)),
        }
    }
    each(folder)
}

/// The same, file by file.
fn each(folder: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(folder).map_err(StoreError::at(folder))? {
        let entry = entry.map_err(StoreError::at(folder))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(StoreError::at(&path))?;
        if kind.is_dir() {
            each(&path)?;
        } else if kind.is_file() {
            // What has become something else meanwhile neither leads elsewhere nor blocks.
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
            let file = OpenOptions::new()
                .read(true)
                .custom_flags(flags.bits().cast_signed())
                .open(&path);
            file.and_then(|file| file.sync_all())
                .map_err(StoreError::at(&path))?;
        }
    }
    atomic::sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::profile;

    #[test]
    fn everything_in_a_profile_can_be_synced() {
        let (_dir, profile) = profile();
        let data = profile.user_data_dir();
        fs::create_dir_all(data.join("Default/Network")).unwrap();
        fs::write(data.join("Default/Network/Cookies"), "x").unwrap();
        symlink("/nowhere", data.join("SingletonLock")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(data.join("s")).unwrap();
        profile.sync().unwrap();
        each(profile.dir()).unwrap();
        let missing = each(&data.join("missing")).unwrap_err();
        assert_eq!(missing.kind(), Some(std::io::ErrorKind::NotFound));
    }
}
