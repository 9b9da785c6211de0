//! What may be given to pages: files, and folders for the fields that take one.

use std::path::{Path, PathBuf};

use szk_tools::{Code, Failure};

/// The most that a folder may hold.
const MOST: usize = 10_000;

/// Whether a file or folder may be given to pages: the one place that decides it.
pub(crate) fn readable(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    if !path.is_absolute() {
        return Err(Failure::invalid(format!(
            "`{shown}` must be an absolute path"
        )));
    }
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => Ok(()),
        Ok(meta) if meta.is_dir() => contained(path),
        Ok(_) => Err(Failure::invalid(format!(
            "`{shown}` is neither a file nor a folder"
        ))),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Refuses a folder with links that lead out of it: Chromium would follow them.
fn contained(folder: &Path) -> Result<(), Failure> {
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| unreadable(path, &error))
    };
    let root = real(folder)?;
    let mut left: Vec<PathBuf> = vec![root.clone()];
    let mut count = 0;
    while let Some(next) = left.pop() {
        let entries = std::fs::read_dir(&next).map_err(|error| unreadable(&next, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&next, &error))?;
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&next, &error))?;
            count += 1;
            if count > MOST {
                let message = format!("`{}` holds more than {MOST} files", folder.display());
                return Err(Failure::invalid(message));
            }
            if kind.is_symlink() && !real(&entry.path())?.starts_with(&root) {
                let link = entry.path();
                let message = format!("the link `{}` leads out of the folder", link.display());
                return Err(Failure::invalid(message));
            }
            if kind.is_dir() {
                left.push(entry.path());
            } else if !kind.is_file() && !kind.is_symlink() {
                let message = format!("`{}` is not a file", entry.path().display());
                return Err(Failure::invalid(message));
            }
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot read `{}`: {error}", path.display());
    Failure::new(Code::NotFound, message)
}
