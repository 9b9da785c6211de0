//! `state.json`: what Chromium forgets, with older versions beside it (`state.prev.json`,
//! `state.minute.json`, `state.hour.json`, `state.day.json`). Bytes in, bytes out; this module only
//! knows that they are JSON.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::IgnoredAny;
use szk_recovery::generations::{Slot, before_writing};
use tempfile::Builder;

use crate::{Profile, StoreError, atomic, dirs};

/// Longest state to read, in bytes.
const LONGEST: u64 = 512 << 20;
/// Longest state of which more than one older version is kept, in bytes.
const LONGEST_KEPT: usize = 32 << 20;

impl Profile {
    /// The saved state; `None` if nothing was saved yet.
    pub fn read_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.check()?;
        read(&self.state_path())
    }

    /// Earlier states, newest first, for when the last one is unreadable. Skips those that are
    /// unreadable themselves.
    pub fn older_states(&self) -> impl Iterator<Item = Vec<u8>> {
        let real = self.check().is_ok();
        let older = Slot::ALL.into_iter().skip(1).filter(move |_| real);
        older.filter_map(|slot| read(&self.slot_path(slot)).ok().flatten())
    }

    /// Keeps a copy of `state.json` as `state.json.<why>-<n>` before it is overwritten: a newer
    /// version's file, for instance. Something there that is not a file is moved to that name. Returns
    /// the new path; `None` if there is no `state.json`.
    pub fn keep_state(&self, why: &str) -> Result<Option<PathBuf>, StoreError> {
        self.check()?;
        let path = self.state_path();
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        atomic::keep_copy(&path, why).map(Some)
    }

    /// Saves a state, keeps the previous one as `state.prev.json`, and now and then as one of the
    /// older versions.
    ///
    /// `state.json` is complete at every moment; after an error (a full disk, say) it is the previous
    /// one. Identical bytes are not written again. A damaged `state.json` never replaces a good copy;
    /// it is kept as `state.json.corrupt-<n>`.
    pub fn write_state(&self, state: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        let path = self.state_path();
        let old = match read(&path) {
            // What is there is not our file; move it aside and keep it.
            Err(StoreError::Corrupt { .. }) => {
                self.keep_state("corrupt")?;
                None
            }
            old => old?,
        };
        if old.as_deref() == Some(state) {
            return Ok(());
        }
        // Write to disk before moving anything: a full disk fails here.
        let new = atomic::prepare(&path, state).map_err(StoreError::at(&path))?;
        match old {
            None => {}
            Some(old) if is_json(&old) => self.keep_generations(&old)?,
            Some(_) => {
                atomic::keep_copy(&path, "corrupt")?;
            }
        }
        atomic::replace(new, &path)
    }

    /// Copies the newest state to the older ones that are due.
    fn keep_generations(&self, newest: &[u8]) -> Result<(), StoreError> {
        let now = SystemTime::now();
        for (from, to) in before_writing(|slot| age(&self.slot_path(slot), now)) {
            let (from, to_path) = (self.slot_path(from), self.slot_path(to));
            if to == Slot::Before {
                keep_as(&from, &to_path)?;
            } else if newest.len() <= LONGEST_KEPT
                && let Err(error) = keep_as(&from, &to_path)
            {
                // Nothing in use depends on it.
                tracing::warn!(%error, "an older state could not be kept");
            }
        }
        Ok(())
    }

    pub(crate) fn state_path(&self) -> PathBuf {
        self.slot_path(Slot::Newest)
    }

    fn slot_path(&self, slot: Slot) -> PathBuf {
        self.file(match slot {
            Slot::Newest => "state.json",
            Slot::Before => "state.prev.json",
            Slot::Minute => "state.minute.json",
            Slot::Hour => "state.hour.json",
            Slot::Day => "state.day.json",
        })
    }
}

/// How long ago a file was written; one from the future counts as infinitely old.
fn age(path: &Path, now: SystemTime) -> Option<Duration> {
    let written = fs::symlink_metadata(path).ok()?.modified().ok()?;
    Some(now.duration_since(written).unwrap_or(Duration::MAX))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match szk_files::read_own(path, LONGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) if szk_files::is_unusable(&e) => Err(StoreError::unusable(path, &e)),
        Err(e) => Err(StoreError::at(path)(e)),
    }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// Gives the file a second name: a link takes no disk space, and the first name never goes away.
/// Copies it if the file system has no links.
fn keep_as(path: &Path, to: &Path) -> Result<(), StoreError> {
    if dirs::is_same(path, to) {
        // A writer was killed right after this step. Renaming one name of a file over another does
        // nothing and would leave the temporary name behind.
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let link = Builder::new()
        .prefix(".state.older.json.")
        .suffix(".tmp")
        .make_in(folder, |temporary| fs::hard_link(path, temporary));
    match link {
        Ok(link) => link.persist(to).map_err(|e| StoreError::at(to)(e.error)),
        Err(_) => {
            let content = fs::read(path).map_err(StoreError::at(path))?;
            atomic::write(to, &content)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::testing::{mode, names, profile};

    fn states(profile: &Profile) -> (Option<String>, Option<String>) {
        let text = |bytes: Option<Vec<u8>>| bytes.map(|b| String::from_utf8(b).unwrap());
        (
            text(profile.read_state().unwrap()),
            text(read(&profile.slot_path(Slot::Before)).unwrap()),
        )
    }

    fn both(state: &str, previous: &str) -> (Option<String>, Option<String>) {
        (Some(state.to_owned()), Some(previous.to_owned()))
    }

    #[test]
    fn the_state_before_is_kept() {
        let (_dir, profile) = profile();
        assert_eq!(states(&profile), (None, None));
        profile.write_state(b"1").unwrap();
        assert_eq!(states(&profile), (Some("1".to_owned()), None));
        profile.write_state(b"2").unwrap();
        assert_eq!(states(&profile), both("2", "1"));
        profile.write_state(b"3").unwrap();
        assert_eq!(states(&profile), both("3", "2"));
        assert_eq!(mode(&profile.state_path()), 0o600);
        assert_eq!(mode(&profile.slot_path(Slot::Before)), 0o600);
        assert!(!names(profile.dir()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn the_same_bytes_are_not_written_again() {
        let (_dir, profile) = profile();
        profile.write_state(b"1").unwrap();
        profile.write_state(b"2").unwrap();
        let inode = || fs::metadata(profile.state_path()).unwrap().ino();
        let before = inode();
        profile.write_state(b"2").unwrap();
        assert_eq!(inode(), before);
        assert_eq!(states(&profile), both("2", "1"));
    }

    #[test]
    fn a_damaged_state_does_not_push_out_the_good_one() {
        let (_dir, profile) = profile();
        profile.write_state(b"1").unwrap();
        profile.write_state(b"2").unwrap();
        fs::write(profile.state_path(), r#"{"cookies": ["#).unwrap();
        profile.write_state(b"3").unwrap();
        assert_eq!(states(&profile), both("3", "1"));
        let kept = fs::read_to_string(profile.file("state.json.corrupt-1")).unwrap();
        assert_eq!(kept, r#"{"cookies": ["#);
    }

    #[test]
    fn a_writer_killed_between_its_steps_leaves_no_trouble() {
        let (_dir, profile) = profile();
        profile.write_state(b"1").unwrap();
        fs::hard_link(profile.state_path(), profile.slot_path(Slot::Before)).unwrap();
        profile.write_state(b"2").unwrap();
        assert_eq!(states(&profile), both("2", "1"));
        assert!(!names(profile.dir()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn there_is_a_complete_state_at_every_moment() {
        let (_dir, profile) = profile();
        let state = |n: usize| format!("\"{}\"", n.to_string().repeat(10_000 + n));
        profile.write_state(state(0).as_bytes()).unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                (1..40).for_each(|n| profile.write_state(state(n % 10).as_bytes()).unwrap())
            });
            while !writer.is_finished() {
                assert!(is_json(&profile.read_state().unwrap().unwrap()));
                assert!(profile.older_states().all(|older| is_json(&older)));
            }
        });
    }

    fn aged(profile: &Profile, slot: Slot, seconds: u64) {
        let file = File::options().append(true).open(profile.slot_path(slot));
        let then = SystemTime::now() - Duration::from_secs(seconds);
        file.unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn older_ones_are_kept_by_age() {
        let (_dir, profile) = profile();
        let older = || -> Vec<String> {
            let states = profile.older_states();
            states
                .map(|state| String::from_utf8(state).unwrap())
                .collect()
        };
        for state in ["1", "2", "3"] {
            profile.write_state(state.as_bytes()).unwrap();
        }
        // `prev`, then `minute`.
        assert_eq!(older(), ["2", "1"]);
        aged(&profile, Slot::Minute, 61);
        profile.write_state(b"4").unwrap();
        assert_eq!(older(), ["3", "3", "1"]);
        aged(&profile, Slot::Minute, 61);
        aged(&profile, Slot::Hour, 3601);
        profile.write_state(b"5").unwrap();
        assert_eq!(older(), ["4", "4", "3", "1"]);
        for slot in Slot::ALL {
            assert_eq!(mode(&profile.slot_path(slot)), 0o600, "{slot:?}");
        }
        assert!(!names(profile.dir()).iter().any(|n| n.ends_with(".tmp")));
    }

    #[test]
    fn what_is_no_file_is_put_aside_and_not_waited_for() {
        for kind in ["folder", "pipe", "giant"] {
            let (_dir, profile) = profile();
            profile.write_state(b"1").unwrap();
            profile.write_state(b"2").unwrap();
            let path = profile.state_path();
            fs::remove_file(&path).unwrap();
            match kind {
                "folder" => fs::create_dir(&path).unwrap(),
                "pipe" => {
                    let mode = rustix::fs::Mode::RWXU;
                    let cwd = rustix::fs::CWD;
                    rustix::fs::mknodat(cwd, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
                }
                _ => File::create(&path).unwrap().set_len(LONGEST + 1).unwrap(),
            }
            assert!(profile.read_state().is_err(), "{kind}");
            assert_eq!(profile.older_states().next().unwrap(), b"1", "{kind}");
            profile.write_state(b"3").unwrap();
            assert_eq!(states(&profile), both("3", "1"), "{kind}");
            assert!(
                profile
                    .file("state.json.corrupt-1")
                    .symlink_metadata()
                    .is_ok()
            );
        }
    }
}
