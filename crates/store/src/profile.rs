//! One profile: its paths. Its files are in the modules named after them.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::{Meta, Name, Store, StoreError, dirs};

/// A profile of a store, existing or not. Cheap to clone; constructing one touches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    store: Store,
    name: Name,
    dir: PathBuf,
}

impl Profile {
    pub(crate) fn new(store: Store, name: Name) -> Self {
        let dir = store.root().join(name.as_str());
        Self { store, name, dir }
    }

    /// Its name.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The store it belongs to.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Its folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Chromium's user data dir.
    pub fn user_data_dir(&self) -> PathBuf {
        self.file("profile")
    }

    /// Where downloads go.
    pub fn downloads_dir(&self) -> PathBuf {
        self.file("downloads")
    }

    /// Where screenshots, traces and other files made for clients go.
    pub fn artifacts_dir(&self) -> PathBuf {
        self.file("artifacts")
    }

    /// Where the runs of tasks are, once there are any.
    pub fn runs_dir(&self) -> PathBuf {
        self.artifacts_dir().join("runs")
    }

    /// Where its recipes are, once there are any.
    pub fn recipes_dir(&self) -> PathBuf {
        self.file("recipes")
    }

    /// The keeper's log.
    pub fn log_path(&self) -> PathBuf {
        self.file("keeper.log")
    }

    /// Whether the profile exists: it has a `meta.json`, or a non-empty user data dir.
    ///
    /// A folder with only a lock is a profile about to be created or the remains of a failed start; it
    /// is not a profile.
    pub fn exists(&self) -> bool {
        let real = |path: &Path| fs::symlink_metadata(path).is_ok_and(|m| m.is_dir());
        let filled = |path: &Path| fs::read_dir(path).is_ok_and(|mut d| d.next().is_some());
        real(&self.dir) && (self.meta_path().is_file() || filled(&self.user_data_dir()))
    }

    /// Creates the folder and its subfolders, mode 0700 whatever the umask. Tightens existing ones.
    ///
    /// To create a profile, use [`Self::create_locked`] and write the meta only then: the lock
    /// distinguishes a profile under construction from an abandoned one.
    pub fn create(&self) -> Result<(), StoreError> {
        self.make_dir()?;
        for dir in [
            self.user_data_dir(),
            self.downloads_dir(),
            self.artifacts_dir(),
        ] {
            dirs::make_private(&dir)?;
        }
        Ok(())
    }

    /// Bytes in all its readable files. Walks the whole folder, which takes milliseconds to seconds
    /// for a heavily used profile.
    pub fn size_bytes(&self) -> u64 {
        if self.check().is_err() {
            return 0;
        }
        size(&self.dir)
    }

    /// When it was last used; an open one is used now.
    pub fn last_used(&self) -> Option<Timestamp> {
        match self.is_live() {
            true => Some(Timestamp::now()),
            false => self.used_until(self.meta().ok().flatten().as_ref()),
        }
    }

    /// When it was last used before now, by its meta or else by when the folder last changed.
    pub fn used_until(&self, meta: Option<&Meta>) -> Option<Timestamp> {
        let Some(meta) = meta else {
            return changed(&[self.user_data_dir(), self.dir.clone()]);
        };
        // A keeper that was killed is still announced. It could not write down when it ended, and was there
        // at least until it saved for the last time.
        let killed = self.keeper().is_some();
        let saved = killed.then(|| changed(&[self.state_path()])).flatten();
        Some(saved.map_or(meta.last_used, |saved| saved.max(meta.last_used)))
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The folder alone, for locks taken before the profile exists.
    pub(crate) fn make_dir(&self) -> Result<(), StoreError> {
        dirs::make_private(&self.dir)
    }

    /// A profile's folder is never a link: it could lead out of the store or to another profile.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        dirs::check_real(&self.dir)
    }
}

/// When the one of these that changed last did.
fn changed(paths: &[PathBuf]) -> Option<Timestamp> {
    let times = paths
        .iter()
        .filter_map(|path| fs::symlink_metadata(path).ok()?.modified().ok());
    Timestamp::try_from(times.max()?).ok()
}

/// Bytes of a file, or of all files in a folder; a link counts as itself.
pub(crate) fn size_of(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(m) if m.is_dir() => size(path),
        Ok(m) => m.len(),
        Err(_) => 0,
    }
}

fn size(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .map(|(path, m)| if m.is_dir() { size(&path) } else { m.len() })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::KeeperInfo;
    use crate::testing::{mode, named, profile, store};

    #[test]
    fn asking_for_a_profile_touches_nothing() {
        let (_dir, store) = store();
        let profile = named(&store, "p");
        assert!(!profile.exists());
        assert!(!profile.is_live());
        assert_eq!(profile.meta().unwrap(), None);
        assert_eq!(profile.keeper(), None);
        assert_eq!(profile.read_state().unwrap(), None);
        assert_eq!((profile.size_bytes(), profile.last_used()), (0, None));
        assert!(!store.root().exists());
    }

    #[test]
    fn folders_are_private_and_loose_ones_are_tightened() {
        let (_dir, profile) = profile();
        fs::set_permissions(profile.dir(), fs::Permissions::from_mode(0o755)).unwrap();
        profile.create().unwrap();
        for dir in [
            profile.dir(),
            profile.store().root(),
            &profile.user_data_dir(),
            &profile.downloads_dir(),
            &profile.artifacts_dir(),
        ] {
            assert_eq!(mode(dir), 0o700, "{}", dir.display());
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_profile_is_not_followed() {
        let (dir, store) = store();
        let outside = dir.path().join("outside");
        fs::create_dir_all(outside.join("profile/Default")).unwrap();
        fs::write(outside.join("meta.json"), "{}").unwrap();
        fs::create_dir(store.root()).unwrap();
        let profile = named(&store, "p");
        symlink(&outside, profile.dir()).unwrap();
        let refused =
            |error: StoreError| assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
        refused(profile.create().unwrap_err());
        refused(profile.meta().unwrap_err());
        refused(
            profile
                .write_meta(&Meta::new(profile.name().clone()))
                .unwrap_err(),
        );
        refused(profile.write_state(b"{}").unwrap_err());
        refused(profile.token().unwrap_err());
        refused(profile.start_lock().unwrap_err());
        assert!(matches!(
            profile.lock().unwrap_err(),
            crate::LockError::Io(StoreError::Foreign { .. })
        ));
        assert!(!profile.exists() && !profile.is_live());
        assert_eq!(crate::testing::names(&outside), ["meta.json", "profile"]);
    }

    #[test]
    fn a_file_in_the_place_of_a_profile_is_said_to_be_one() {
        let (_dir, store) = store();
        fs::create_dir(store.root()).unwrap();
        let profile = named(&store, "p");
        fs::write(profile.dir(), "").unwrap();
        let message = profile.create().unwrap_err().to_string();
        assert!(
            message.ends_with("cannot be used by the store: it is not a folder"),
            "{message}"
        );
    }

    #[test]
    fn size_and_last_use_are_told() {
        let (_dir, profile) = profile();
        fs::create_dir(profile.user_data_dir().join("Default")).unwrap();
        fs::write(
            profile.user_data_dir().join("Default/Cookies"),
            vec![0; 1000],
        )
        .unwrap();
        fs::write(profile.log_path(), vec![0; 24]).unwrap();
        // A link counts as itself, not as its target.
        symlink("/usr", profile.user_data_dir().join("x")).unwrap();
        let link = "/usr".len() as u64;
        assert_eq!(profile.size_bytes(), 1024 + link);
        assert!(profile.last_used().is_some());
        let mut meta = Meta::new(profile.name().clone());
        meta.last_used = Timestamp::from_second(1_000_000).unwrap();
        profile.write_meta(&meta).unwrap();
        assert_eq!(profile.last_used(), Some(meta.last_used));
        // What is saved counts only for a keeper that did not end by itself.
        profile.write_state(b"{}").unwrap();
        assert_eq!(profile.last_used(), Some(meta.last_used));
        let keeper = KeeperInfo::of_this_process("/socket".into(), "1.0.0");
        profile.write_keeper(&keeper).unwrap();
        let saved = Timestamp::from_second(2_000_000_000).unwrap();
        fs::File::open(profile.state_path())
            .and_then(|file| file.set_modified(saved.into()))
            .unwrap();
        assert_eq!(profile.last_used(), Some(saved));
        // An open one is used now, however long ago it was opened.
        profile.clear_keeper().unwrap();
        let before = Timestamp::now();
        let _lock = profile.lock().unwrap();
        assert!(profile.last_used().unwrap() >= before);
    }
}
