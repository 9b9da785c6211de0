//! Which recipes there are for a site. Asked with every navigation and every snapshot, so a file is read again
//! only once it has changed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use szk_recipes::Head;

use super::files;

/// What the files of recipes were for when they were read.
#[derive(Default)]
pub(super) struct KnownFiles {
    // A std mutex: nothing awaits under it.
    read: Mutex<HashMap<PathBuf, KnownFile>>,
}

/// One file.
#[derive(Debug, Clone)]
struct KnownFile {
    version: Version,
    /// Name and site; none if it is no recipe.
    recipe: Option<(String, String)>,
}

/// What differs after every change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    file: (u64, u64),
    bytes: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            file: (meta.dev(), meta.ino()),
            bytes: meta.len(),
            written: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

impl KnownFiles {
    /// Names of the recipes for a site, in order. Of two files with one name the first counts.
    pub(super) async fn of_site(&self, paths: Vec<PathBuf>, site: &str) -> Vec<String> {
        let changed = self.changed(&paths);
        if !changed.is_empty() {
            // Not on the keeper's thread: they may be many, and long.
            let read = tokio::task::spawn_blocking(|| changed.into_iter().map(read).collect());
            let read: Vec<(PathBuf, KnownFile)> = read.await.unwrap_or_default();
            self.lock().extend(read);
        }
        let known = self.lock();
        let mut seen = BTreeSet::new();
        let recipes = paths
            .iter()
            .filter_map(|path| known.get(path)?.recipe.as_ref());
        let mut names: Vec<String> = recipes
            .filter(|(name, _)| seen.insert(name.clone()))
            .filter(|(_, of)| of == site)
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    }

    /// Forgets files that are there no more; answers those that are not known as they are.
    fn changed(&self, paths: &[PathBuf]) -> Vec<(PathBuf, Version)> {
        let mut known = self.lock();
        let there: HashSet<&PathBuf> = paths.iter().collect();
        known.retain(|path, _| there.contains(path));
        let now = paths
            .iter()
            .filter_map(|path| Some((path, Version::of(path)?)));
        let new = now.filter(|(path, now)| known.get(*path).is_none_or(|one| one.version != *now));
        new.map(|(path, now)| (path.clone(), now)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, KnownFile>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a file. `version` is from before: what is written meanwhile is read the next time.
fn read((path, version): (PathBuf, Version)) -> (PathBuf, KnownFile) {
    let recipe = files::at(&path).ok().map(|recipe| {
        let Head { name, site, .. } = recipe.head;
        (name, site)
    });
    (path, KnownFile { version, recipe })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(name: &str, site: &str) -> String {
        format!(
            "[recipe]\nname = \"{name}\"\nsite = \"{site}\"\n\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n"
        )
    }

    #[tokio::test]
    async fn a_file_is_read_again_only_once_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |path: &str, name: &str, site: &str| {
            std::fs::write(at(path), recipe(name, site)).unwrap();
        };
        std::fs::create_dir(at("own")).unwrap();
        write("a.toml", "a", "http://a");
        write("b.toml", "b", "http://b");
        // The project's comes before the profile's.
        write("own/b.toml", "b", "http://a");
        write("own/c.toml", "c", "http://a");
        std::fs::write(at("d.toml"), "no recipe").unwrap();
        let files = ["a.toml", "b.toml", "d.toml", "own/b.toml", "own/c.toml"];
        let paths = || files.iter().map(|name| at(name)).collect::<Vec<_>>();
        let known = KnownFiles::default();
        assert_eq!(known.of_site(paths(), "http://a").await, ["a", "c"]);
        assert_eq!(known.of_site(paths(), "http://b").await, ["b"]);
        assert!(known.changed(&paths()).is_empty(), "nothing is read again");

        write("a.toml", "a", "http://other");
        std::fs::remove_file(at("own/c.toml")).unwrap();
        write("d.toml", "d", "http://a");
        let changed = known.changed(&paths()).into_iter();
        let changed: Vec<PathBuf> = changed.map(|(path, _)| path).collect();
        assert_eq!(changed, [at("a.toml"), at("d.toml")]);
        let left = [at("a.toml"), at("b.toml"), at("d.toml"), at("own/b.toml")];
        assert_eq!(known.of_site(left.to_vec(), "http://a").await, ["d"]);
        assert_eq!(known.lock().len(), left.len());
    }
}
