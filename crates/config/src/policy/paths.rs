//! Real paths: a link counts as the file it leads to.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many links as systems follow.
const LINKS: usize = 40;

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

/// Whether a file that is opened or made at a path would be at or below one of the roots, whatever exists of
/// it so far. Also for a path that cannot be followed to its end, because it might be by whoever opens it.
pub(super) fn leads_into(path: &Path, roots: &[PathBuf]) -> bool {
    if roots.is_empty() {
        return false;
    }
    let Some(path) = followed(path) else {
        return true;
    };
    let same = |a: &Metadata, b: &Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    roots.iter().filter_map(|root| followed(root)).any(|root| {
        // The same folder may have other names: file systems that know no case, mounts.
        let found = root.metadata();
        path.starts_with(&root)
            || found.is_ok_and(|root| {
                let mut above = path.ancestors().filter_map(|one| one.metadata().ok());
                above.any(|one| same(&one, &root))
            })
    })
}

/// A path without links and `..`. What does not exist may become a folder or a file of that name. `None` if its
/// links lead in a circle.
fn followed(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let owned = |component: Component<'_>| PathBuf::from(component.as_os_str());
    let mut rest: VecDeque<PathBuf> = path.components().map(owned).collect();
    let (mut found, mut links) = (PathBuf::new(), 0);
    while let Some(next) = rest.pop_front() {
        if next.as_os_str() == ".." {
            found.pop();
            continue;
        }
        let at = found.join(&next);
        let Ok(target) = std::fs::read_link(&at) else {
            found = at;
            continue;
        };
        links += 1;
        if links > LINKS {
            return None;
        }
        for component in target.components().rev().map(owned) {
            rest.push_front(component);
        }
    }
    Some(found)
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

    #[test]
    fn what_does_not_exist_yet_leads_somewhere_too() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("in/deep")).unwrap();
        fs::create_dir(at("out")).unwrap();
        fs::write(at("in/secret"), "").unwrap();
        symlink(at("in"), at("out/link")).unwrap();
        symlink("../in/not-there", at("out/dangling")).unwrap();
        symlink(at("out/link/deep"), at("out/chain")).unwrap();
        symlink(at("out/circle"), at("out/circle")).unwrap();
        let private = [at("in")];
        for within in [
            "in",
            "in/secret",
            "in/new",
            "in/new/folder/a",
            "out/link/new",
            "out/dangling",
            "out/chain/a",
            "out/../in/secret",
            "out/new/../../in/a",
            "out/circle",
        ] {
            assert!(leads_into(&at(within), &private), "{within}");
        }
        for outside in ["out", "out/a", "inner", "in/../out/a", "in/deep/../../a"] {
            assert!(!leads_into(&at(outside), &private), "{outside}");
        }
        assert!(leads_into(&at("late/a"), &[at("late")]));
        assert!(!leads_into(&at("in"), &[]));
    }
}
