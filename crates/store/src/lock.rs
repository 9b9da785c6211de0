//! Who may run, copy or delete a profile: OS file locks.
//!
//! The kernel releases a lock when the process that holds it ends, so there is no expiry, no heartbeat
//! and nothing to steal. The lock file's content means nothing.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::{LockError, Profile, StoreError, atomic, dirs};

/// The right to run, change or delete a profile. A keeper holds it for its whole life; it is released
/// on drop, or by the kernel however the process ends.
#[derive(Debug)]
pub struct ProfileLock {
    held: LockedFile,
    dir: PathBuf,
}

/// The right to start a keeper for a profile, held from the search for one until it answers.
#[derive(Debug)]
pub struct StartLock {
    _held: LockedFile,
}

impl Profile {
    /// Takes the profile's lock, or says at once that another process has it.
    ///
    /// Does not create the profile: without one this is an I/O error of kind `NotFound`.
    pub fn lock(&self) -> Result<ProfileLock, LockError> {
        self.check()?;
        let path = self.file("lock");
        loop {
            let _gate = Gate::close(self.dir(), FlockOperation::LockExclusive);
            let file = open(&path)?;
            match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
                Err(Errno::WOULDBLOCK) => {
                    return Err(LockError::Held {
                        name: self.name().clone(),
                    });
                }
                other => other.map_err(StoreError::at(&path))?,
            }
            let held = LockedFile(file);
            if held.is_still(&path) {
                atomic::sweep(self.dir());
                let dir = self.dir().to_owned();
                return Ok(ProfileLock { held, dir });
            }
            // The profile was trashed between opening and locking: that lock guards nothing.
        }
    }

    /// Creates the profile's folders and takes its lock: the way to create or open a profile.
    ///
    /// Unlike [`Self::create`] followed by [`Self::lock`], this is safe when another process deletes
    /// an old profile of that name in between.
    pub fn create_locked(&self) -> Result<ProfileLock, LockError> {
        let mut attempts = 0;
        let lock = loop {
            attempts += 1;
            match self
                .make_dir()
                .map_err(LockError::Io)
                .and_then(|()| self.lock())
            {
                Err(LockError::Io(e)) if was_trashed(&e, attempts) => {}
                other => break other?,
            }
        };
        self.create()?;
        Ok(lock)
    }

    /// Waits for the right to start a keeper. Blocks the thread; call it from `spawn_blocking`.
    ///
    /// Creates the profile's folder if necessary, but not a profile.
    pub fn start_lock(&self) -> Result<StartLock, StoreError> {
        let path = self.file("start.lock");
        let mut attempts = 0;
        loop {
            attempts += 1;
            let file = match self.make_dir().and_then(|()| open(&path)) {
                Err(e) if was_trashed(&e, attempts) => continue,
                other => other?,
            };
            retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))
                .map_err(StoreError::at(&path))?;
            let held = LockedFile(file);
            if held.is_still(&path) {
                return Ok(StartLock { _held: held });
            }
        }
    }

    /// Whether another process holds the profile's lock right now. Never interferes with
    /// [`Self::lock`].
    pub fn is_live(&self) -> bool {
        if self.check().is_err() {
            return false;
        }
        let _gate = Gate::close(self.dir(), FlockOperation::LockShared);
        // If a FIFO is in its place, do not block on it.
        let careful = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let path = self.file("lock");
        let Ok(file) = OpenOptions::new()
            .read(true)
            .custom_flags(careful)
            .open(path)
        else {
            return false;
        };
        let probe = retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockShared));
        let _held = LockedFile(file);
        matches!(probe, Err(Errno::WOULDBLOCK))
    }
}

impl ProfileLock {
    /// Whether this is the lock of the profile that is there now.
    pub fn is_for(&self, profile: &Profile) -> bool {
        self.dir == profile.dir() && self.held.is_still(&self.dir.join("lock"))
    }

    /// A caller that mixes up its locks must not be able to delete another profile.
    pub(crate) fn must_be_for(&self, profile: &Profile) -> Result<(), StoreError> {
        if self.is_for(profile) {
            return Ok(());
        }
        let wrong = io::Error::new(
            io::ErrorKind::InvalidInput,
            "the lock given is not the one of this profile",
        );
        Err(StoreError::at(profile.dir())(wrong))
    }
}

/// Keeps lock takers out for the microseconds of a probe.
///
/// Probing a lock means taking it, and a keeper that starts in that moment would think the profile is
/// in use. So everyone locks the folder first: probers shared, takers exclusive. File systems that
/// cannot lock folders do without.
pub(crate) struct Gate {
    _held: Option<LockedFile>,
}

impl Gate {
    pub(crate) fn close(dir: &Path, how: FlockOperation) -> Self {
        let held = File::open(dir)
            .ok()
            .filter(|dir| retry_on_intr(|| flock(dir, how)).is_ok())
            .map(LockedFile);
        Self { _held: held }
    }
}

/// A locked file. Unlocked explicitly, not only by closing: a process that another thread is spawning
/// has a copy of the descriptor until its exec.
#[derive(Debug)]
struct LockedFile(File);

impl LockedFile {
    fn is_still(&self, path: &Path) -> bool {
        match (self.0.metadata(), fs::symlink_metadata(path)) {
            (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
            _ => false,
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing does the same unless another process has a copy of the descriptor.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Whether a folder we just created has vanished, so that a retry is worthwhile. No one deletes that
/// often, but some file systems report `NotFound` for something that cannot be created.
fn was_trashed(error: &StoreError, attempts: u32) -> bool {
    error.kind() == Some(io::ErrorKind::NotFound) && attempts < 1000
}

fn open(path: &Path) -> Result<File, StoreError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(dirs::PRIVATE_FILE)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(path)
        .map_err(StoreError::at(path))?;
    let metadata = file.metadata().map_err(StoreError::at(path))?;
    if metadata.permissions().mode() & 0o7777 != dirs::PRIVATE_FILE {
        file.set_permissions(fs::Permissions::from_mode(dirs::PRIVATE_FILE))
            .map_err(StoreError::at(path))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Store;
    use crate::testing::{mode, named, names, profile, store};

    fn is_held(outcome: Result<ProfileLock, LockError>) -> bool {
        match outcome {
            Ok(_) => false,
            Err(LockError::Held { name }) => name.as_str() == "p",
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn one_holder_at_a_time() {
        let (_dir, profile) = profile();
        assert!(!profile.is_live());
        let lock = profile.lock().unwrap();
        assert!(profile.is_live());
        assert!(is_held(profile.lock()));
        assert_eq!(mode(&profile.file("lock")), 0o600);
        drop(lock);
        assert!(!profile.is_live());
        assert!(!is_held(profile.lock()));
    }

    #[test]
    fn a_lock_file_somebody_left_means_nothing() {
        let (_dir, profile) = profile();
        // Empty, with text, with the pid of a running process: no difference.
        for content in [String::new(), "0".into(), std::process::id().to_string()] {
            fs::write(profile.file("lock"), content).unwrap();
            assert!(!profile.is_live());
            assert!(!is_held(profile.lock()));
        }
    }

    #[test]
    fn a_profile_that_does_not_exist_cannot_be_locked_and_is_not_made() {
        let (_dir, store) = store();
        let Err(LockError::Io(error)) = named(&store, "p").lock() else {
            panic!("locked");
        };
        assert_eq!(error.kind(), Some(io::ErrorKind::NotFound));
        assert!(!store.root().exists());
    }

    #[test]
    fn a_lock_is_for_its_profile_only_and_only_while_that_exists() {
        let (_dir, profile) = profile();
        let lock = profile.lock().unwrap();
        let other = named(profile.store(), "q");
        other.create().unwrap();
        assert!(lock.is_for(&profile) && !lock.is_for(&other));
        let message = other.clone().trash(lock).unwrap_err().to_string();
        assert!(
            message.ends_with("the lock given is not the one of this profile"),
            "{message}"
        );
        assert!(other.dir().exists());
        let lock = profile.lock().unwrap();
        fs::remove_dir_all(profile.dir()).unwrap();
        let again = profile.create_locked().unwrap();
        assert!(!lock.is_for(&profile), "the old lock guards nothing");
        assert!(again.is_for(&profile));
    }

    #[test]
    fn looking_never_keeps_anybody_from_taking_the_lock() {
        let (_dir, profile) = profile();
        drop(profile.lock().unwrap());
        std::thread::scope(|scope| {
            let takers = scope.spawn(|| (0..500).all(|_| !is_held(profile.lock())));
            while !takers.is_finished() {
                profile.is_live();
            }
            assert!(takers.join().unwrap());
        });
    }

    #[test]
    fn of_many_threads_one_gets_the_lock() {
        let (_dir, profile) = profile();
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            let take = || {
                start.wait();
                profile.lock().ok()
            };
            let taken: Vec<_> = (0..8).map(|_| scope.spawn(take)).collect();
            // Keep all results until every thread has tried.
            let locks: Vec<_> = taken.into_iter().map(|t| t.join().unwrap()).collect();
            assert_eq!(locks.iter().flatten().count(), 1);
        });
    }

    #[test]
    fn a_lock_of_a_deleted_profile_is_never_taken_for_one_of_the_next() {
        let (_dir, store) = store();
        let profile = named(&store, "p");
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(lock) = profile.create_locked() else {
                            continue;
                        };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        assert!(lock.is_for(&profile));
                        inside.fetch_sub(1, Ordering::SeqCst);
                        profile.clone().trash(lock).unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn where_nothing_can_be_made_the_attempts_end() {
        let profile = named(&Store::at("/proc/self/szk".into()), "p");
        if Path::new("/proc/self").exists() {
            assert!(profile.start_lock().is_err());
            assert!(profile.create_locked().is_err());
        }
    }

    #[test]
    fn starters_go_one_after_the_other_and_make_no_profile() {
        let (_dir, store) = store();
        let profile = named(&store, "p");
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = profile.start_lock().unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(!profile.exists());
        assert_eq!(names(profile.dir()), ["start.lock"]);
        assert_eq!(mode(profile.dir()), 0o700);
    }

    #[test]
    fn starters_and_deleters_at_once_do_not_trip_over_each_other() {
        let (_dir, store) = store();
        let profile = named(&store, "p");
        std::thread::scope(|scope| {
            let starters: Vec<_> = (0..2)
                .map(|_| scope.spawn(|| (0..100).for_each(|_| drop(profile.start_lock().unwrap()))))
                .collect();
            while starters.iter().any(|s| !s.is_finished()) {
                if let Ok(lock) = profile.lock() {
                    profile.clone().trash(lock).unwrap();
                }
            }
        });
    }
}
