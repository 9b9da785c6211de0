//! Keeps an ephemeral copy under a name of its own.

use std::fs;
use std::io;

use jiff::Timestamp;

use crate::{LockError, Meta, Profile, ProfileLock, StoreError, atomic};

impl Profile {
    /// Turns a clone into a permanent profile under the name of `to`, which must be free. Its lock
    /// moves along and is released. Its meta still says what it was copied from.
    ///
    /// Takes as long as the disk does: call it off the threads that others need.
    ///
    /// After an error the clone is unchanged or, if only the rename failed, stays under its old name.
    ///
    /// # Errors
    /// `AlreadyExists` if a profile of that name exists; [`LockError::Held`] if another process is
    /// just creating one.
    pub fn promote(self, lock: ProfileLock, to: &Profile) -> Result<(), LockError> {
        self.check()?;
        lock.must_be_for(&self)?;
        if to.exists() {
            return Err(taken(to).into());
        }
        // A folder without a profile is left from a failed start: it holds a lock but does not take
        // the name.
        if fs::symlink_metadata(to.dir()).is_ok() {
            let debris = to.lock()?;
            if to.exists() {
                return Err(taken(to).into());
            }
            to.clone().trash(debris)?;
        }
        let mut meta = match self.meta() {
            Ok(Some(meta)) => meta,
            Ok(None) => Meta::new(to.name().clone()),
            Err(error) => return Err(error.into()),
        };
        meta.name = to.name().clone();
        meta.ephemeral = false;
        meta.last_used = Timestamp::now();
        // A clone that is thrown away needs no syncing; once its meta says that it stays, it has to be whole.
        self.sync()?;
        self.write_meta(&meta)?;
        // The system refuses this if something has taken its place meanwhile.
        fs::rename(self.dir(), to.dir()).map_err(StoreError::at(to.dir()))?;
        atomic::sync_folder(self.store().root())?;
        drop(lock);
        self.remove_outside();
        Ok(())
    }
}

fn taken(to: &Profile) -> StoreError {
    StoreError::at(to.dir())(io::Error::from(io::ErrorKind::AlreadyExists))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{named, store};
    use crate::{Store, collect_leftovers};

    fn clone(store: &Store, name: &str) -> (Profile, ProfileLock) {
        let profile = named(store, name);
        let lock = profile.create_locked().unwrap();
        let mut meta = Meta::new(profile.name().clone());
        meta.ephemeral = true;
        meta.seed = 7;
        profile.write_meta(&meta).unwrap();
        fs::write(profile.user_data_dir().join("Cookies"), "x").unwrap();
        (profile, lock)
    }

    #[test]
    fn it_stays_under_the_new_name() {
        let (_dir, store) = store();
        let (profile, lock) = clone(&store, "work.clone-000001");
        let to = named(&store, "shop");
        profile.clone().promote(lock, &to).unwrap();
        assert!(!profile.dir().exists());
        assert!(collect_leftovers(&store).is_empty());
        let meta = to.meta().unwrap().unwrap();
        assert_eq!((meta.ephemeral, meta.seed), (false, 7));
        assert!(!to.is_live());
        let text = fs::read_to_string(to.user_data_dir().join("Cookies")).unwrap();
        assert_eq!(text, "x");
    }

    #[test]
    fn a_name_that_is_taken_is_refused_and_nothing_changes() {
        let (_dir, store) = store();
        let (other, held) = clone(&store, "other");
        drop(held);
        let (profile, lock) = clone(&store, "work.clone-000001");
        let error = profile.clone().promote(lock, &other).unwrap_err();
        assert!(
            matches!(&error, LockError::Io(e) if e.kind() == Some(io::ErrorKind::AlreadyExists)),
            "{error}"
        );
        assert!(profile.meta().unwrap().unwrap().ephemeral);
    }

    #[test]
    fn what_a_failed_start_left_is_in_nobodys_way_but_one_that_goes_on_is() {
        let (_dir, store) = store();
        let to = named(&store, "shop");
        let starting = to.create_locked().unwrap();
        let (profile, lock) = clone(&store, "work.clone-000001");
        let error = profile.clone().promote(lock, &to).unwrap_err();
        assert!(matches!(error, LockError::Held { .. }), "{error}");
        drop(starting);
        let lock = profile.lock().unwrap();
        profile.promote(lock, &to).unwrap();
        assert!(to.exists());
    }
}
