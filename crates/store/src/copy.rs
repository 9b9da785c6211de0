//! Copies a profile's content into another profile, for clones.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::caches::{WHOLE, is_skipped};
use crate::{Profile, ProfileLock, StoreError, dirs};

/// What was copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// Files copied.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many of the files share their blocks with the original and took no space.
    pub reflinked: u64,
    /// Files that vanished during the copy, as happens in a profile in use.
    pub vanished: u64,
}

impl Profile {
    /// Copies the user data dir and the saved state into another profile, whose lock the caller holds.
    /// The target's user data dir must be missing or empty.
    ///
    /// Write the target's meta first: if this process is killed half-way, the meta says what may be
    /// done with the rest. The source may be in use; each file is then from some moment, but not all
    /// from the same one. After an error the target's user data dir is empty.
    pub fn copy_to(&self, target: &Profile, lock: &ProfileLock) -> Result<CopyReport, StoreError> {
        self.check()?;
        lock.must_be_for(target)?;
        target.create()?;
        let (from, to) = (self.user_data_dir(), target.user_data_dir());
        if fs::read_dir(&to)
            .map_err(StoreError::at(&to))?
            .next()
            .is_some()
        {
            let exists = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(StoreError::at(&to)(exists));
        }
        let mut copy = Copy {
            from: &from,
            to: &to,
            report: CopyReport::default(),
            can_reflink: true,
        };
        let copied = copy
            .folder(Path::new(""), false)
            .and_then(|()| match self.read_state()? {
                Some(state) => target.write_state(&state),
                None => Ok(()),
            })
            .and_then(|()| self.copy_logins_to(target))
            .and_then(|()| self.copy_filled_to(target))
            .and_then(|()| self.copy_recipes_to(target));
        let report = copy.report;
        if let Err(error) = copied {
            // The first error counts, not one from the cleanup.
            let _ = fs::remove_dir_all(&to);
            let _ = dirs::make_private(&to);
            return Err(error);
        }
        Ok(report)
    }
}

struct Copy<'a> {
    from: &'a Path,
    to: &'a Path,
    report: CopyReport,
    can_reflink: bool,
}

impl Copy<'_> {
    /// `whole`: inside an extension, whose files Chromium checks against hashes, so nothing is left
    /// out.
    fn folder(&mut self, path: &Path, whole: bool) -> Result<(), StoreError> {
        let from = self.from.join(path);
        let entries = match fs::read_dir(&from) {
            Ok(entries) => entries,
            Err(e) => return self.gone_or(&from, e),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => return self.gone_or(&from, e),
            };
            let name = entry.file_name();
            if !whole && is_skipped(&name) {
                continue;
            }
            let path = path.join(&name);
            match entry.metadata() {
                Ok(metadata) => self.entry(&path, &metadata, whole || name == WHOLE)?,
                Err(e) => self.gone_or(&entry.path(), e)?,
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, metadata: &Metadata, whole: bool) -> Result<(), StoreError> {
        let to = self.to.join(path);
        if metadata.is_dir() {
            dirs::make_private(&to)?;
            self.folder(path, whole)
        } else if metadata.is_symlink() {
            self.link(path, &to)
        } else if metadata.is_file() {
            self.file(path, &to)
        } else {
            // Sockets and pipes are meaningless without their process.
            Ok(())
        }
    }

    /// Opened only once: whatever Chromium puts in its place meanwhile is another file.
    fn file(&mut self, path: &Path, to: &Path) -> Result<(), StoreError> {
        let from = self.from.join(path);
        let nofollow = OFlags::NOFOLLOW.bits() as i32;
        let mut source = match OpenOptions::new()
            .read(true)
            .custom_flags(nofollow)
            .open(&from)
        {
            Ok(source) => source,
            Err(e) => return self.gone_or(&from, e),
        };
        let metadata = source.metadata().map_err(StoreError::at(&from))?;
        let bytes = if self.reflink(&source, to) {
            self.report.reflinked += 1;
            metadata.len()
        } else {
            let mut target = File::create_new(to).map_err(StoreError::at(to))?;
            io::copy(&mut source, &mut target).map_err(StoreError::at(to))?
        };
        let executable = metadata.permissions().mode() & 0o100;
        let mode = fs::Permissions::from_mode(dirs::PRIVATE_FILE | executable);
        fs::set_permissions(to, mode).map_err(StoreError::at(to))?;
        self.report.files += 1;
        self.report.bytes += bytes;
        Ok(())
    }

    /// On any failure we copy instead, which works or fails with the reason that matters. A file
    /// system that cannot reflink is not asked again for every file.
    fn reflink(&mut self, source: &File, to: &Path) -> bool {
        if !self.can_reflink {
            return false;
        }
        let Err(error) = reflink_copy::reflink_file_to_path(source, to) else {
            return true;
        };
        let never = [io::ErrorKind::Unsupported, io::ErrorKind::CrossesDevices];
        self.can_reflink = !never.contains(&error.kind());
        false
    }

    /// A link into the original's own folder would make the copy write there.
    fn link(&mut self, path: &Path, to: &Path) -> Result<(), StoreError> {
        let from = self.from.join(path);
        let target = match fs::read_link(&from) {
            Ok(target) => target,
            Err(e) => return self.gone_or(&from, e),
        };
        let inside: Option<PathBuf> = target.strip_prefix(self.from).ok().map(|p| self.to.join(p));
        symlink(inside.unwrap_or(target), to).map_err(StoreError::at(to))
    }

    /// A vanished file is no error, and neither is one that reappeared under its name: only
    /// short-lived files do that.
    fn gone_or(&mut self, from: &Path, error: io::Error) -> Result<(), StoreError> {
        if error.kind() == io::ErrorKind::NotFound {
            self.report.vanished += 1;
            return Ok(());
        }
        Err(StoreError::at(from)(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mode, named, names, profile};

    fn put(profile: &Profile, path: &str, content: &str) {
        let path = profile.user_data_dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn clone_of(profile: &Profile) -> (Profile, ProfileLock) {
        let clone = named(profile.store(), "clone");
        clone.create().unwrap();
        let lock = clone.lock().unwrap();
        (clone, lock)
    }

    fn everything(dir: &Path, under: &Path, found: &mut Vec<String>) {
        for name in names(dir) {
            let path = dir.join(&name);
            if path.is_dir() && !path.is_symlink() {
                everything(&path, under, found);
            } else {
                found.push(
                    path.strip_prefix(under)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                );
            }
        }
    }

    fn copied(profile: &Profile) -> (Vec<String>, CopyReport, Profile) {
        let (clone, lock) = clone_of(profile);
        let report = profile.copy_to(&clone, &lock).unwrap();
        let mut found = Vec::new();
        everything(&clone.user_data_dir(), &clone.user_data_dir(), &mut found);
        (found, report, clone)
    }

    #[test]
    fn content_and_state_are_copied_and_counted() {
        let (_dir, profile) = profile();
        put(&profile, "Local State", "12345");
        put(&profile, "Default/Network/Cookies", "1234567");
        put(&profile, "Default/Local Storage/leveldb/000003.log", "");
        profile.write_state(b"{}").unwrap();
        let token = profile.token().unwrap();
        let (found, report, clone) = copied(&profile);
        assert_eq!(
            found,
            [
                "Default/Local Storage/leveldb/000003.log",
                "Default/Network/Cookies",
                "Local State"
            ]
        );
        assert_eq!((report.files, report.bytes, report.vanished), (3, 12, 0));
        assert!(report.reflinked <= 3);
        assert_eq!(clone.read_state().unwrap().unwrap(), b"{}");
        assert!(
            !token.matches(clone.token().unwrap().reveal()),
            "a clone has its own token"
        );
        assert!(
            !clone.exists() || clone.meta().unwrap().is_none(),
            "the meta is the caller's"
        );
    }

    #[test]
    fn what_belongs_to_a_running_chromium_or_can_be_made_again_is_left_out() {
        let (_dir, profile) = profile();
        for path in [
            "SingletonLock",
            "SingletonCookie",
            "lockfile",
            "DevToolsActivePort",
            "x.lock",
            "GrShaderCache/a",
            "ShaderCache/a",
            "Crashpad/reports/a",
            "BrowserMetrics/a.pma",
            "BrowserMetrics-spare.pma",
            "Default/GPUCache/a",
            "Default/Code Cache/js/a",
            "Default/DawnCache/a",
            "Default/Local Storage/leveldb/LOCK",
        ] {
            put(&profile, path, "x");
        }
        put(&profile, "Default/Cache/Cache_Data/data_0", "x");
        put(&profile, "Default/Extensions/abc/1.0_0/yarn.lock", "x");
        put(&profile, "Default/Service Worker/CacheStorage/a", "x");
        let (found, ..) = copied(&profile);
        assert_eq!(
            found,
            [
                "Default/Cache/Cache_Data/data_0",
                "Default/Extensions/abc/1.0_0/yarn.lock",
                "Default/Service Worker/CacheStorage/a",
            ]
        );
    }

    #[test]
    fn modes_are_private_whatever_the_original_had() {
        let (_dir, profile) = profile();
        put(&profile, "Default/a", "x");
        put(&profile, "Default/run", "x");
        let from = profile.user_data_dir().join("Default");
        fs::set_permissions(from.join("a"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(from.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(0o777)).unwrap();
        let (_, _, clone) = copied(&profile);
        let to = clone.user_data_dir().join("Default");
        assert_eq!(
            (mode(&to), mode(&to.join("a")), mode(&to.join("run"))),
            (0o700, 0o600, 0o700)
        );
    }

    #[test]
    fn links_are_made_again_but_never_lead_into_the_original() {
        let (_dir, profile) = profile();
        put(&profile, "Default/a", "x");
        let from = profile.user_data_dir();
        symlink("Default/a", from.join("relative")).unwrap();
        symlink("/usr", from.join("out")).unwrap();
        symlink(from.join("Default"), from.join("inside")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.join("s")).unwrap();
        let (found, _, clone) = copied(&profile);
        assert_eq!(found, ["Default/a", "inside", "out", "relative"]);
        let to = clone.user_data_dir();
        let target = |name: &str| fs::read_link(to.join(name)).unwrap();
        assert_eq!(target("relative"), Path::new("Default/a"));
        assert_eq!(target("out"), Path::new("/usr"));
        assert_eq!(target("inside"), to.join("Default"));
    }

    #[test]
    fn files_that_vanish_meanwhile_are_no_error() {
        let (_dir, profile) = profile();
        for n in 0..300 {
            put(&profile, &format!("d{}/f{n}", n % 30), "x");
        }
        let from = profile.user_data_dir();
        let (clone, lock) = clone_of(&profile);
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..30)
                    .rev()
                    .for_each(|n| fs::remove_dir_all(from.join(format!("d{n}"))).unwrap())
            });
            profile.copy_to(&clone, &lock).unwrap()
        });
        assert!(report.files <= 300);
        // The only way to be sure that it happens is to make it happen.
        let mut copy = Copy {
            from: &from,
            to: &clone.user_data_dir(),
            report,
            can_reflink: true,
        };
        copy.folder(Path::new("gone"), false).unwrap();
        assert_eq!(copy.report.vanished, report.vanished + 1);
    }

    #[test]
    fn a_target_that_goes_away_is_an_error() {
        let (_dir, profile) = profile();
        put(&profile, "a", "x");
        let mut copy = Copy {
            from: &profile.user_data_dir(),
            to: &profile.file("no such folder"),
            report: CopyReport::default(),
            can_reflink: true,
        };
        let error = copy.folder(Path::new(""), false).unwrap_err();
        assert_eq!(error.kind(), Some(io::ErrorKind::NotFound));
    }

    #[test]
    fn a_used_target_or_the_wrong_lock_is_refused() {
        let (_dir, profile) = profile();
        put(&profile, "a", "x");
        let (clone, lock) = clone_of(&profile);
        let kind = |outcome: Result<CopyReport, StoreError>| outcome.unwrap_err().kind();
        let wrong = profile.lock().unwrap();
        assert_eq!(
            kind(profile.copy_to(&clone, &wrong)),
            Some(io::ErrorKind::InvalidInput)
        );
        put(&clone, "b", "x");
        assert_eq!(
            kind(profile.copy_to(&clone, &lock)),
            Some(io::ErrorKind::AlreadyExists)
        );
        assert_eq!(names(&clone.user_data_dir()), ["b"]);
    }

    #[test]
    fn a_profile_never_opened_is_copied_as_nothing() {
        let (_dir, profile) = profile();
        fs::remove_dir(profile.user_data_dir()).unwrap();
        let (found, report, _) = copied(&profile);
        assert!(found.is_empty());
        assert_eq!(report.files, 0);
    }
}
