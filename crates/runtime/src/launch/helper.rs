//! The helper processes that hold data for Chromium, and their exits.
//!
//! The network service holds the cookies, and the storage service holds what localStorage has not
//! written yet. When one of them dies, Chromium silently starts another, which answers with what was
//! last on disk.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::Deserialize;
use szk_cdp::protocol::system_info::GetProcessInfoParams;
use szk_cdp::{CallError, Connection};
use szk_store::process;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How often to check on a process where the system has no event for its exit.
const LOOK: Duration = Duration::from_millis(200);

/// The data that a helper process holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The network service.
    Cookies,
    /// The storage service.
    LocalStorage,
}

impl Keeps {
    /// Chromium's name for the process.
    fn kind(self) -> &'static str {
        match self {
            Self::Cookies => "network.mojom.NetworkService",
            Self::LocalStorage => "storage.mojom.StorageService",
        }
    }
}

/// A helper process. Its id may be reused, so the start time identifies it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Helper {
    pid: u32,
    started: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    #[serde(rename = "type")]
    kind: String,
    id: u32,
}

impl Helper {
    /// The one that runs now, if any: Chromium starts them on demand.
    pub(crate) async fn find(
        connection: &Connection,
        keeps: Keeps,
    ) -> Result<Option<Self>, CallError> {
        let asked = GetProcessInfoParams::default();
        let told: Processes = connection.ask(None, &asked).await?;
        let found = told
            .process_info
            .iter()
            .filter(|process| process.kind == keeps.kind())
            .map(|process| Self {
                pid: process.id,
                started: process::start_time(process.id),
            })
            // Chromium may not have noticed yet that the last one exited.
            .find(Self::lives);
        Ok(found)
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it is still running.
    pub(crate) fn lives(&self) -> bool {
        process::is_alive(self.pid, self.started)
    }

    /// Waits until it exits.
    pub(crate) async fn ended(&self) {
        if let Some(fd) = self.descriptor()
            // It may have exited, and its id been reused, before we opened it.
            && self.lives()
        {
            let _ = fd.readable().await;
            return;
        }
        while self.lives() {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Becomes readable when the process exits.
    fn descriptor(&self) -> Option<AsyncFd<OwnedFd>> {
        let pid = Pid::from_raw(i32::try_from(self.pid).ok()?)?;
        let fd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        #[expect(
            deprecated,
            reason = "it is unsound for what is no `OwnedFd`; the other one is unsafe for all"
        )]
        AsyncFd::with_interest(fd, Interest::READABLE).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::Script;

    use super::*;

    fn told(pid: u32) -> serde_json::Value {
        json!({"processInfo": [
            {"type": "browser", "id": 1, "cpuTime": 0.5},
            {"type": "network.mojom.NetworkService", "id": pid, "cpuTime": 0.1}
        ]})
    }

    #[tokio::test]
    async fn its_exit_is_noticed() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let script = Script::new().answer("SystemInfo.getProcessInfo", told(child.id()));
        let (connection, _events, _peer) = script.start();
        let found = Helper::find(&connection, Keeps::Cookies).await.unwrap();
        let helper = found.unwrap();
        assert_eq!(helper.pid(), child.id());
        assert_eq!(
            Helper::find(&connection, Keeps::LocalStorage)
                .await
                .unwrap(),
            None
        );
        let ended = tokio::spawn(async move { helper.ended().await });
        assert!(helper.lives() && !ended.is_finished());
        child.kill().unwrap();
        ended.await.unwrap();
        child.wait().unwrap();
        assert!(!helper.lives());
        // Chromium still reports it, although it no longer runs.
        let found = Helper::find(&connection, Keeps::Cookies).await.unwrap();
        assert_eq!(found, None);
    }
}
