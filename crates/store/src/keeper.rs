//! `keeper.json`: how to reach the process that runs a profile.

use std::fs;
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Profile, StoreError, atomic, process};

/// Longest `keeper.json`, in bytes.
const LONGEST: u64 = 64 << 10;

/// The process that runs a profile. This is only a hint where to connect: the lock tells whether a
/// keeper runs, and pid plus start time whether it is this very process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeeperInfo {
    /// Its process id.
    pub pid: u32,
    /// When that process started, in clock ticks since boot; `None` if the system does not say.
    pub start_time: Option<u64>,
    /// The Unix socket it answers on.
    pub socket: PathBuf,
    /// The version of this program it runs.
    pub version: String,
    /// When it started, for people.
    pub started: Timestamp,
}

impl KeeperInfo {
    /// The calling process as a keeper.
    pub fn of_this_process(socket: PathBuf, version: &str) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            start_time: process::start_time(pid),
            socket,
            version: version.to_owned(),
            started: Timestamp::now(),
        }
    }

    /// Whether that process is stopped (`SIGSTOP`, a debugger) and does nothing until it is resumed.
    pub fn is_stopped(&self) -> bool {
        self.is_alive() && process::is_stopped(self.pid)
    }

    /// Whether that very process is still running; another one that reuses its pid does not count.
    pub fn is_alive(&self) -> bool {
        process::is_alive(self.pid, self.start_time)
    }
}

impl Profile {
    /// What the keeper wrote, if it is readable. The keeper may be dead.
    pub fn keeper(&self) -> Option<KeeperInfo> {
        self.check().ok()?;
        let bytes = szk_files::read_own(&self.keeper_path(), LONGEST).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Announces where the keeper answers. Only the holder of the lock may call this, once it does
    /// answer.
    pub fn write_keeper(&self, keeper: &KeeperInfo) -> Result<(), StoreError> {
        self.check()?;
        let path = self.keeper_path();
        let bytes = serde_json::to_vec_pretty(keeper)
            .map_err(|e| StoreError::at(&path)(io::Error::from(e)))?;
        atomic::make_way(&path)?;
        // Its first client waits for this.
        atomic::write_for_now(&path, &bytes)
    }

    /// Withdraws the announcement. Only the holder of the lock may call this.
    pub fn clear_keeper(&self) -> Result<(), StoreError> {
        self.check()?;
        let path = self.keeper_path();
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StoreError::at(&path)(e)),
            _ => Ok(()),
        }
    }

    fn keeper_path(&self) -> PathBuf {
        self.file("keeper.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mode, profile};

    #[test]
    fn a_keeper_is_announced_and_taken_back() {
        let (_dir, profile) = profile();
        let keeper = KeeperInfo::of_this_process(profile.socket_path().unwrap(), "1.2.3");
        profile.write_keeper(&keeper).unwrap();
        assert_eq!(profile.keeper(), Some(keeper));
        assert_eq!(mode(&profile.keeper_path()), 0o600);
        profile.clear_keeper().unwrap();
        profile.clear_keeper().unwrap();
        assert_eq!(profile.keeper(), None);
    }

    #[test]
    fn a_half_written_announcement_is_none() {
        let (_dir, profile) = profile();
        for content in ["", "{\"pid\":", "null"] {
            fs::write(profile.keeper_path(), content).unwrap();
            assert_eq!(profile.keeper(), None);
        }
    }

    #[test]
    fn another_process_with_the_same_pid_is_not_the_keeper() {
        let mut keeper = KeeperInfo::of_this_process("/s".into(), "1");
        assert!(keeper.is_alive());
        keeper.start_time = keeper.start_time.map(|t| t + 1);
        assert_eq!(keeper.is_alive(), keeper.start_time.is_none());
    }
}
