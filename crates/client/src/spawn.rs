//! Starts a detached keeper: the same program, in a process session of its own.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Stdio;

use szk_store::Profile;
use szk_tools::{Code, Failure, Progress};
use szk_wire::{Hello, Start};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::task::JoinHandle;

/// A keeper that has answered on its socket.
pub(crate) struct Started {
    /// Reaps it if it exits before us; otherwise init does. Whether it ended in order.
    ended: JoinHandle<bool>,
}

impl Started {
    /// Waits until it has exited; returns whether that was in order, as after its session was closed.
    pub(crate) async fn ended_in_order(self) -> bool {
        self.ended.await.unwrap_or(false)
    }
}

/// Starts a keeper and waits until it answers on its socket.
///
/// It gets its start message on standard input, because options can contain a proxy's password, and
/// everyone can read a command line.
pub(crate) async fn keeper(
    program: Option<&Path>,
    start: &Start,
    profile: &Profile,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Started, Failure> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Failure::new(
            Code::Internal,
            format!("cannot start the keeper: {what}: {error}"),
        )
        .hint("find the cause with `szk doctor`")
    };
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(profile.log_path())
        .map_err(|error| {
            Failure::new(
                Code::Storage,
                format!("cannot write `{}`: {error}", profile.log_path().display()),
            )
        })?;
    let program = match program {
        Some(program) => program.to_owned(),
        None => std::env::current_exe().map_err(|error| failed("own path", &error))?,
    };
    let mut child = Command::new(program)
        .arg("keeper")
        .current_dir(&start.cwd)
        // What the keeper starts would inherit it.
        .env_remove("SZK_AGENT_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(false)
        .spawn()
        .map_err(|error| failed("spawn", &error))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::internal("the keeper has no pipes"));
    };
    let text = serde_json::to_vec(start).map_err(|error| failed("its start message", &error))?;
    stdin
        .write_all(&text)
        .await
        .map_err(|error| failed("its standard input", &error))?;
    drop(stdin);
    let mut lines = BufReader::new(stdout).lines();
    let told = loop {
        let line = lines
            .next_line()
            .await
            .map_err(|error| failed("its standard output", &error))?;
        let Some(line) = line else { break None };
        match serde_json::from_str(&line) {
            Ok(Hello::Progress(step)) => progress(step),
            Ok(Hello::Ready) => break Some(Ok(())),
            Ok(Hello::Error(failure)) => break Some(Err(failure)),
            Err(error) => return Err(failed("its first words", &error)),
        }
    };
    let ended =
        tokio::spawn(async move { child.wait().await.is_ok_and(|status| status.success()) });
    let told = told.unwrap_or_else(|| {
        Err(Failure::new(
            Code::BrowserCrashed,
            "the keeper exited before it was ready",
        )
        .hint(format!("`{}` says why", profile.log_path().display())))
    });
    told.map(|()| Started { ended })
}
