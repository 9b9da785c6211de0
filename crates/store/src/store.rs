//! The store: a folder of profiles.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Name, Profile, StoreError, atomic, socket, stand_in};

/// A folder of profiles. Cheap to construct and clone; touches nothing until asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
    /// Patterns of the only profiles that it shows; `None` shows all.
    visible: Option<Arc<[String]>>,
}

impl Store {
    /// The store at a folder, which need not exist yet. A relative path is resolved now, so changing
    /// the working directory later does not move the store.
    pub fn at(root: PathBuf) -> Self {
        let root = std::path::absolute(&root).unwrap_or(root);
        Self {
            root,
            visible: None,
        }
    }

    /// The same store, which shows only profiles whose names match one of these patterns.
    #[must_use]
    pub fn limited_to(self, patterns: impl IntoIterator<Item = String>) -> Self {
        Self {
            visible: Some(patterns.into_iter().collect()),
            ..self
        }
    }

    /// The same store, which shows all profiles.
    #[must_use]
    pub fn whole(&self) -> Self {
        Self {
            visible: None,
            ..self.clone()
        }
    }

    /// Whether it shows the profile of that name.
    #[must_use]
    pub fn admits(&self, name: &Name) -> bool {
        let name = name.as_str().as_bytes();
        let fit = |glob: &String| fits(glob.as_bytes(), name);
        self.visible
            .as_ref()
            .is_none_or(|globs| globs.iter().any(fit))
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders whose files are only szk's: its own, and that of sockets whose path would be too long in it.
    #[must_use]
    pub fn private_folders(&self) -> Vec<PathBuf> {
        let sockets = stand_in::path(&self.root, "", socket::LONGEST);
        let sockets = sockets.parent().map(Path::to_owned);
        [self.root.clone()].into_iter().chain(sockets).collect()
    }

    /// The profile of that name, existing or not.
    pub fn profile(&self, name: &Name) -> Profile {
        Profile::new(self.clone(), name.clone())
    }

    /// All profiles, sorted by name. Skips anything else in the folder: files, links, invalid names,
    /// folders without a profile in them.
    pub fn list(&self) -> Result<Vec<Profile>, StoreError> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(StoreError::at(&self.root)(e)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::at(&self.root))?;
            let name = entry.file_name();
            let Some(Ok(name)) = name.to_str().map(Name::parse) else {
                continue;
            };
            let profile = self.profile(&name);
            if self.admits(&name) && profile.exists() {
                found.push(profile);
            }
        }
        found.sort_by(|a, b| a.name().cmp(b.name()));
        Ok(found)
    }

    /// Writes and removes a file, for callers that want to know in advance.
    ///
    /// # Errors
    /// The error that writing a profile's files would give.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        let probe = self.root.join(".probe");
        let result = atomic::write(&probe, b"x");
        // It exists only if the write succeeded.
        let _ = fs::remove_file(&probe);
        result
    }

    /// The profiles whose names match a pattern: `*` is any run of characters, `?` any single one.
    pub fn matching(&self, glob: &str) -> Result<Vec<Profile>, StoreError> {
        let mut profiles = self.list()?;
        profiles.retain(|p| fits(glob.as_bytes(), p.name().as_str().as_bytes()));
        Ok(profiles)
    }
}

/// Remembers only the last `*`: an earlier one never needs another try.
fn fits(glob: &[u8], name: &[u8]) -> bool {
    let (mut g, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match glob.get(g) {
            Some(b'*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => match star {
                None => return false,
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    g = at + 1;
                    n = from + 1;
                }
            },
        }
    }
    glob[g..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::Meta;
    use crate::testing::{named, store};

    fn listed(profiles: Result<Vec<Profile>, StoreError>) -> Vec<String> {
        let profiles = profiles.unwrap();
        profiles.iter().map(|p| p.name().to_string()).collect()
    }

    fn with_meta(store: &Store, name: &str) -> Profile {
        let profile = named(store, name);
        profile.create().unwrap();
        profile
            .write_meta(&Meta::new(profile.name().clone()))
            .unwrap();
        profile
    }

    #[test]
    fn a_missing_store_is_an_empty_one() {
        let (_dir, store) = store();
        assert!(store.list().unwrap().is_empty());
        assert!(!store.root().exists());
    }

    #[test]
    fn profiles_are_listed_by_name_and_nothing_else_is() {
        let (_dir, store) = store();
        with_meta(&store, "b");
        with_meta(&store, "a");
        // One that lost its meta, one with only a lock, and one that was never used.
        let lost = named(&store, "lost");
        fs::create_dir_all(lost.user_data_dir().join("Default")).unwrap();
        let _starting = named(&store, "starting").start_lock().unwrap();
        named(&store, "unused").create().unwrap();
        let root = store.root();
        fs::create_dir_all(root.join(".trash/x-1/profile/Default")).unwrap();
        fs::create_dir_all(root.join("Not A Name/profile/Default")).unwrap();
        fs::create_dir(root.join("node_modules")).unwrap();
        fs::write(root.join("readme.md"), "").unwrap();
        symlink(root.join("a"), root.join("link")).unwrap();
        assert_eq!(listed(store.list()), ["a", "b", "lost"]);
    }

    #[test]
    fn a_relative_store_does_not_move_with_the_current_folder() {
        let store = Store::at("sessions".into());
        assert!(store.root().is_absolute());
    }

    #[test]
    fn a_limited_store_shows_only_what_fits() {
        let (_dir, store) = store();
        for name in ["shop-1", "shop-2", "home"] {
            with_meta(&store, name);
        }
        let limited = store.limited_to(["shop-?".to_owned(), "x*".to_owned()]);
        assert_eq!(listed(limited.list()), ["shop-1", "shop-2"]);
        assert_eq!(listed(limited.matching("*o*")), ["shop-1", "shop-2"]);
        assert!(limited.admits(&Name::parse("xy").unwrap()));
        assert!(!limited.admits(&Name::parse("home").unwrap()));
    }

    #[test]
    fn patterns_choose_among_the_names() {
        let (_dir, store) = store();
        for name in ["work-1", "work-2", "work-10", "home"] {
            with_meta(&store, name);
        }
        let check =
            |glob: &str, expected: &[&str]| assert_eq!(listed(store.matching(glob)), expected);
        check("work-*", &["work-1", "work-10", "work-2"]);
        check("work-?", &["work-1", "work-2"]);
        check("*1*", &["work-1", "work-10"]);
        check("home", &["home"]);
        check("*", &["home", "work-1", "work-10", "work-2"]);
        check("**o*e", &["home"]);
        check("", &[]);
        check("../*", &[]);
        check("hom", &[]);
    }
}
