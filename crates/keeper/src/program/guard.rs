//! The process guard (`szk leash`): a small process between the keeper and a program that a caller runs.
//!
//! It leads the program's process group and holds the read end of a pipe from the keeper. When the pipe
//! closes (the call is over or cancelled, or the keeper is gone, however it ended), the guard ends
//! everything that the program started: asks, waits a little, kills. So nothing outlives a call, and
//! dropping a handle is enough to end it.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process_group};
use szk_store::process;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::descendants;

/// How long a program may clean up after SIGINT.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Runs a program under the guard; returns its exit code, or 128 + n if signal n ended it.
pub async fn leash(command: Vec<OsString>) -> u8 {
    process::mark_as_ours();
    descendants::adopt();
    let (Ok(mut interrupt), Ok(mut terminate)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
    ) else {
        return 126;
    };
    let Some((name, args)) = command.split_first() else {
        return 126;
    };
    let started = Command::new(name).args(args).stdin(Stdio::null()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return 127,
        Err(_) => return 126,
    };
    let ended = tokio::select! {
        // It exits by itself.
        ended = child.wait() => ended.ok(),
        // No one wants it any more.
        () = let_go() => None,
        _ = interrupt.recv() => None,
        _ = terminate.recv() => None,
    };
    let ended = match ended {
        Some(ended) => Some(ended),
        None => asked_to_end(&mut child).await,
    };
    descendants::end().await;
    ended.map_or(137, code)
}

/// Standard input carries no data; only its end counts.
async fn let_go() {
    let mut stdin = tokio::io::stdin();
    let mut nothing = [0; 64];
    while stdin.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
}

/// Sends SIGINT to the whole group. This process is in it, but catches the signal.
async fn asked_to_end(child: &mut Child) -> Option<ExitStatus> {
    // Only to a group of our own: otherwise this would be the group of whoever started us.
    if process::own_group() == Some(std::process::id()) {
        // Err: no process is left.
        let _ = kill_process_group(getpid(), Signal::INT);
    }
    tokio::time::timeout(GRACE, child.wait()).await.ok()?.ok()
}

fn code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
