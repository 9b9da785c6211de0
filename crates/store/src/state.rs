//! `state.json`: what Chromium forgets. Bytes in, bytes out; that they are JSON is all that
//! is known here.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use tempfile::Builder;

use crate::{Profile, StoreError, atomic, dirs};

/// Longest state that is read, in bytes.
const LONGEST: u64 = 512 << 20;

impl Profile {
    /// The saved state; `None` when nothing was saved yet.
    pub fn read_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.check()?;
        read(&self.state_path())
    }

    /// The state saved before that one, for when the last cannot be understood.
    pub fn read_previous_state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.check()?;
        read(&self.previous_state_path())
    }

    /// Keeps a copy of `state.json` as `state.json.<why>-<n>`, before it is written over: a file of a
    /// newer version, for one. Answers where it is; `None` when there is no `state.json`.
    pub fn keep_state(&self, why: &str) -> Result<Option<PathBuf>, StoreError> {
        self.check()?;
        let path = self.file("state.json");
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        atomic::keep_copy(&path, why).map(Some)
    }

    /// Saves a state and keeps the one before it as `state.prev.json`.
    ///
    /// There is a complete `state.json` at every moment; on an error (a full disk, say) it is
    /// the one from before. The same bytes are not written twice. A damaged `state.json` never
    /// takes the place of the last good copy; it is kept as `state.json.corrupt-<n>`.
    pub fn write_state(&self, state: &[u8]) -> Result<(), StoreError> {
        let old = match self.read_state() {
            // What stands there is no file of ours; it makes way, and is kept.
            Err(StoreError::Corrupt { .. }) => {
                self.keep_state("corrupt")?;
                None
            }
            old => old?,
        };
        if old.as_deref() == Some(state) {
            return Ok(());
        }
        let path = self.state_path();
        // On disk before anything is moved: a full disk ends here.
        let new = atomic::prepare(&path, state).map_err(StoreError::at(&path))?;
        match old {
            None => {}
            Some(old) if is_json(&old) => keep_as(&path, &old, &self.previous_state_path())?,
            Some(_) => {
                atomic::keep_copy(&path, "corrupt")?;
            }
        }
        atomic::replace(new, &path)
    }

    fn state_path(&self) -> PathBuf {
        self.file("state.json")
    }

    fn previous_state_path(&self) -> PathBuf {
        self.file("state.prev.json")
    }
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

/// Gives the file a second name: a link needs no room on the disk, and the first name
/// never goes away. Where the file system has no links, a copy.
fn keep_as(path: &Path, content: &[u8], to: &Path) -> Result<(), StoreError> {
    if dirs::is_same(path, to) {
        // A writer was killed right after this step. Renaming one name of a file over another
        // does nothing, and would leave the temporary name behind.
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let link = Builder::new()
        .prefix(".state.prev.json.")
        .suffix(".tmp")
        .make_in(folder, |temporary| fs::hard_link(path, temporary));
    match link {
        Ok(link) => link.persist(to).map_err(|e| StoreError::at(to)(e.error)),
        Err(_) => atomic::write(to, content),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::testing::{mode, names, profile};

    fn states(profile: &Profile) -> (Option<String>, Option<String>) {
        let text = |bytes: Option<Vec<u8>>| bytes.map(|b| String::from_utf8(b).unwrap());
        (
            text(profile.read_state().unwrap()),
            text(profile.read_previous_state().unwrap()),
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
        assert_eq!(mode(&profile.previous_state_path()), 0o600);
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
        fs::hard_link(profile.state_path(), profile.previous_state_path()).unwrap();
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
                if let Some(previous) = profile.read_previous_state().unwrap() {
                    assert!(is_json(&previous));
                }
            }
        });
    }
}
