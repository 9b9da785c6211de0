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
        let [found] = Self::find_each(connection, [keeps]).await?;
        Ok(found)
    }

    /// Those that run now, found with one question.
    pub(crate) async fn find_each<const N: usize>(
        connection: &Connection,
        kept: [Keeps; N],
    ) -> Result<[Option<Self>; N], CallError> {
        let asked = GetProcessInfoParams::default();
        let told: Processes = connection.ask(None, &asked).await?;
        Ok(kept.map(|keeps| {
            let mut processes = told.process_info.iter();
            processes.find_map(|process| {
                let helper = Self {
                    pid: process.id,
                    started: process::start_time(process.id),
                };
                // Chromium may not have noticed yet that the last one exited.
                (process.kind == keeps.kind() && helper.lives()).then_some(helper)
            })
        }))
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
            reason = "it is unsound for what is not an `OwnedFd`; the other one is unsafe for all"
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
    async fn all_are_found_with_one_question() {
        let own = std::process::id();
        let told = json!({"processInfo": [
            {"type": "storage.mojom.StorageService", "id": own},
            {"type": "network.mojom.NetworkService", "id": own}
        ]});
        let script = Script::new().answer("SystemInfo.getProcessInfo", told);
        let (connection, _events, peer) = script.start();
        let kept = [Keeps::Cookies, Keeps::LocalStorage];
        let found = Helper::find_each(&connection, kept).await.unwrap();
        assert!(found.iter().flatten().all(|helper| helper.pid() == own));
        assert_eq!(
            (found.iter().flatten().count(), peer.methods().len()),
            (2, 1)
        );
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
