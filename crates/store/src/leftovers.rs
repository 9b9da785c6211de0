//! Ephemeral profiles whose keeper was killed before it could remove them.

use crate::{Name, Profile, Store, trash};

/// Removes ephemeral profiles that no process runs, and what earlier deletions left in the trash.
/// Returns the names it removed; logs what it cannot remove and tries again next time.
///
/// It only touches a profile whose lock it could take. A profile under construction is safe: its
/// creator holds the lock before the meta says that it is ephemeral.
pub fn collect_leftovers(store: &Store) -> Vec<Name> {
    let profiles = match store.list() {
        Ok(profiles) => profiles,
        Err(error) => {
            tracing::warn!(%error, "the store cannot be searched for leftovers");
            return Vec::new();
        }
    };
    let mut removed: Vec<Name> = Vec::new();
    for profile in profiles.into_iter().filter(is_ephemeral) {
        let Ok(lock) = profile.lock() else {
            continue;
        };
        // Checked again now that no one else can change it.
        if !is_ephemeral(&profile) {
            continue;
        }
        let name = profile.name().clone();
        match profile.trash(lock) {
            Ok(_) => removed.push(name),
            Err(error) => tracing::warn!(%error, profile = %name, "leftover profile not removed"),
        }
    }
    for error in trash::empty(store) {
        tracing::warn!(%error, "trash not emptied");
    }
    removed
}

/// Unknown if the meta is unreadable, so the profile is kept.
fn is_ephemeral(profile: &Profile) -> bool {
    matches!(profile.meta(), Ok(Some(meta)) if meta.ephemeral)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Meta;
    use crate::testing::{made, named, store};

    fn collected(store: &Store) -> Vec<String> {
        collect_leftovers(store)
            .iter()
            .map(Name::to_string)
            .collect()
    }

    #[test]
    fn only_ephemeral_profiles_that_nobody_holds_are_removed() {
        let (_dir, store) = store();
        let dead = made(&store, "dead", true);
        let live = made(&store, "live", true);
        let kept = made(&store, "kept", false);
        let lock = live.lock().unwrap();
        assert_eq!(collected(&store), ["dead"]);
        assert!(!dead.exists() && live.exists() && kept.exists());
        drop(lock);
        assert_eq!(collected(&store), ["live"]);
        assert!(collected(&store).is_empty());
        assert!(kept.exists());
    }

    #[test]
    fn a_profile_whose_meta_cannot_be_read_is_kept() {
        let (_dir, store) = store();
        let profile = made(&store, "p", true);
        for content in [
            "",
            r#"{"version": 1, "ephemeral": true"#,
            r#"{"version": 2, "ephemeral": true}"#,
        ] {
            fs::write(profile.meta_path(), content).unwrap();
            assert!(collected(&store).is_empty());
            assert!(profile.exists());
        }
    }

    #[test]
    fn the_trash_is_emptied_too() {
        let (_dir, store) = store();
        assert!(collected(&store).is_empty());
        let old = store.root().join(".trash/old-1/profile");
        fs::create_dir_all(&old).unwrap();
        assert!(collected(&store).is_empty());
        assert!(!old.exists());
    }

    /// Creators and collectors race for the same names; a creator must never lose its profile between
    /// taking the lock and releasing it.
    #[test]
    fn a_profile_being_made_is_never_collected() {
        let (_dir, store) = store();
        std::thread::scope(|scope| {
            let makers: Vec<_> = ["a", "b"]
                .map(|name| {
                    let profile = named(&store, name);
                    scope.spawn(move || {
                        for _ in 0..60 {
                            // Taken while a collector inspects what the last round left.
                            let Ok(lock) = profile.create_locked() else {
                                continue;
                            };
                            let mut meta = Meta::new(profile.name().clone());
                            meta.ephemeral = true;
                            profile.write_meta(&meta).unwrap();
                            std::thread::yield_now();
                            assert_eq!(profile.meta().unwrap(), Some(meta));
                            assert!(lock.is_for(&profile));
                        }
                    })
                })
                .into_iter()
                .collect();
            while makers.iter().any(|m| !m.is_finished()) {
                collect_leftovers(&store);
            }
        });
        collect_leftovers(&store);
        assert!(store.list().unwrap().is_empty());
    }
}
