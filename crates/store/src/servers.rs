//! The servers of a store: each says where it is for as long as it runs, so that another process can ask it
//! to end. Nothing depends on it: sessions and clients find each other without.

use std::fs;
use std::io;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::{Store, StoreError, atomic, dirs, process, trash};

/// Longest file about a server, in bytes.
const LONGEST: u64 = 10_000;

/// A server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningServer {
    /// Its process.
    pub pid: u32,
    /// When that started, because pids get reused.
    started: Option<u64>,
    /// Its address.
    pub url: String,
}

/// The file about a server; it goes with this.
#[derive(Debug)]
pub struct Announced(PathBuf);

impl Drop for Announced {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Store {
    /// Says that this process is a server of this store.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn announce_server(&self, url: &str) -> Result<Announced, StoreError> {
        let pid = std::process::id();
        let server = RunningServer {
            pid,
            started: process::start_time(pid),
            url: url.to_owned(),
        };
        let folder = self.servers_dir();
        dirs::make_private(&folder)?;
        let path = folder.join(format!("{pid}.json"));
        let text = serde_json::to_vec(&server).map_err(io::Error::from);
        atomic::write(&path, &text.map_err(StoreError::at(&path))?)?;
        Ok(Announced(path))
    }

    /// The servers that run on this store. Removes what killed ones left behind.
    pub fn servers(&self) -> Vec<RunningServer> {
        let folder = self.servers_dir();
        if dirs::check_real(&folder).is_err() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for path in trash::paths(&folder) {
            let read = szk_files::read_own(&path, LONGEST).ok();
            let server = read.and_then(|text| serde_json::from_slice::<RunningServer>(&text).ok());
            match server {
                Some(server) if server.is_running() => found.push(server),
                Some(_) => drop(Announced(path)),
                None => {}
            }
        }
        found.sort_by(|a, b| a.url.cmp(&b.url));
        found
    }

    fn servers_dir(&self) -> PathBuf {
        self.root().join(".servers")
    }
}

impl RunningServer {
    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        process::is_alive(self.pid, self.started)
    }

    /// Asks it to take no more work and to end once what it has is done.
    ///
    /// # Errors
    /// The system's error, such as that it belongs to somebody else.
    pub fn drain(&self) -> io::Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or(io::ErrorKind::NotFound)?;
        Ok(kill_process(pid, Signal::USR1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{names, store};

    #[test]
    fn only_servers_that_run_are_found() {
        let (_dir, store) = store();
        assert!(store.servers().is_empty());
        let own = store.announce_server("http://127.0.0.1:1").unwrap();
        let folder = store.servers_dir();
        let mut dead = store.servers()[0].clone();
        assert_eq!(dead.pid, std::process::id());
        dead.started = Some(1);
        fs::write(folder.join("1.json"), serde_json::to_vec(&dead).unwrap()).unwrap();
        assert_eq!(store.servers().len(), 1);
        assert_eq!(names(&folder).len(), 1, "what the dead one left is gone");
        drop(own);
        assert!(store.servers().is_empty());
    }
}
