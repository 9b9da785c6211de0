//! Replaces a file that belongs to another program.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Replaces a file's whole text, keeps its mode, and saves the old file beside it; returns that path.
/// For a link, it replaces the target and keeps the link.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<Option<PathBuf>> {
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let folder = real.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let old = match fs::metadata(&real) {
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let backup = match &old {
        None => None,
        Some(mode) => Some(backup(&real, mode)?),
    };
    let mut temporary = tempfile::Builder::new()
        .prefix(".szk.")
        .tempfile_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    let mode = old.unwrap_or_else(|| Permissions::from_mode(0o600));
    temporary.as_file().set_permissions(mode)?;
    temporary.as_file().sync_all()?;
    temporary.persist(&real).map_err(|error| error.error)?;
    Ok(backup)
}

fn backup(path: &Path, mode: &Permissions) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let content = szk_files::read(path, 64 << 20)?;
    for number in 1..1000 {
        let to = path.with_file_name(format!("{name}.before-szk-{number}"));
        match File::create_new(&to) {
            Ok(mut file) => {
                file.set_permissions(mode.clone())?;
                file.write_all(&content)?;
                file.sync_all()?;
                return Ok(to);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many backups beside it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_and_links_stay_and_the_old_text_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (
            dir.path().join("dotfiles/a.json"),
            dir.path().join("a.json"),
        );
        fs::create_dir(dir.path().join("dotfiles")).unwrap();
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let backup = replace(&link, "new").unwrap().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::read_to_string(&backup).unwrap(), "old");
        for path in [&file, &backup] {
            assert_eq!(
                fs::metadata(path).unwrap().permissions().mode() & 0o777,
                0o640
            );
        }
        assert_ne!(replace(&link, "newer").unwrap().unwrap(), backup);
        assert_eq!(replace(&dir.path().join("x/y.json"), "1").unwrap(), None);
    }
}
