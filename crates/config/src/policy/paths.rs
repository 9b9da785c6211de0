//! Real paths: a link counts as the file it leads to.

use std::path::{Path, PathBuf};

/// Whether a path is at or below one of the roots.
pub(super) fn within<'a>(path: &Path, roots: impl IntoIterator<Item = &'a PathBuf>) -> bool {
    let Some(real) = real(path) else {
        return false;
    };
    let below =
        |root: &PathBuf| std::fs::canonicalize(root).is_ok_and(|root| real.starts_with(root));
    roots.into_iter().any(below)
}

/// The real path; for a file that does not exist yet, the path it will have.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    // A write would go through a dangling link.
    if path.is_symlink() {
        return None;
    }
    let folder = std::fs::canonicalize(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_what_they_lead_to() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::create_dir(at("out")).unwrap();
        fs::write(at("out/secret"), "").unwrap();
        symlink(at("out"), at("in/link")).unwrap();
        symlink(at("out/secret"), at("in/file")).unwrap();
        symlink(at("out/not-there"), at("in/dangling")).unwrap();
        let allowed = [at("in")];
        let may = |name: &str| within(&at(name), &allowed);
        for good in ["in/a", "in/deep/a", "in/deep/../a", "in"] {
            assert!(may(good), "{good}");
        }
        for wrong in [
            "out/secret",
            "in/link/secret",
            "in/file",
            "in/dangling",
            "in/../out/secret",
            "inner",
            "in/nowhere/a",
        ] {
            assert!(!may(wrong), "{wrong}");
        }
    }
}
