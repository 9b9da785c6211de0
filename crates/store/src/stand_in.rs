//! Short paths below the temporary directory, for what must not be as deep as a profile may be.

use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{StoreError, dirs};

/// A path of at most `longest` bytes that only `of` has, in a folder of this user's. Touches nothing.
pub(crate) fn path(of: &Path, suffix: &str, longest: usize) -> PathBuf {
    let uid = rustix::process::geteuid().as_raw();
    let mut name = String::new();
    for byte in &Sha256::digest(of.as_os_str().as_bytes())[..8] {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    let rest = format!("szk-{uid}/{name}{suffix}");
    let chosen = std::env::temp_dir().join(&rest);
    // A temporary directory that is too deep is as good as none.
    match chosen.as_os_str().len() <= longest {
        true => chosen,
        false => Path::new("/tmp").join(rest),
    }
}

/// Creates the folder of such a path with mode 0700. One that belongs to another user is refused.
pub(crate) fn make_parent(path: &Path) -> Result<(), StoreError> {
    own_folder(path.parent().unwrap_or(Path::new("/")))
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
