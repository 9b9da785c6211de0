//! Runs programs for callers in the session: Node with Playwright, Python, Playwright's tests.
//!
//! Each one runs under a process guard ([`leash`]), in a process group of its own, and gets the
//! endpoint's address in its environment, never on a command line. It ends with its call, with the
//! session, and with the keeper.

mod descendants;
mod find;
mod guard;
mod output;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use szk_runtime::session::Lifecycle;
use szk_tools::{Code, Done, Failure};
use tokio::process::{Child, ChildStdin, Command};
use tokio_util::task::AbortOnDropHandle;

pub(crate) use find::{node, python};
pub use guard::leash;
pub(crate) use output::{Output, plain};

use crate::context::Keeper;

/// How long after its grace time a program may take to disappear.
const GONE: Duration = Duration::from_secs(5);
/// How long its streams may stay open after it exits.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What to run.
pub(crate) struct ProgramSpec {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) dir: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    /// Its time limit.
    pub(crate) limit: Duration,
}

/// How a program ended.
pub(crate) enum Ended {
    /// It exited by itself.
    Itself(ExitStatus),
    /// It ran out of time and was killed.
    TimeUp,
}

/// A program under its guard. Dropping this ends it.
pub(crate) struct Program {
    leash: Child,
    group: Option<Pid>,
    /// Never written to: the guard only checks that it is open.
    hold: Option<ChildStdin>,
    streams: Vec<AbortOnDropHandle<()>>,
    output: Output,
    limit: Duration,
}

impl Program {
    /// Starts it, with the session's endpoint in its environment.
    pub(crate) async fn start(keeper: &Arc<Keeper>, order: ProgramSpec) -> Result<Self, Failure> {
        if !order.dir.is_dir() {
            return Err(Failure::new(
                Code::NotFound,
                format!("there is no folder `{}`", order.dir.display()),
            ));
        }
        let endpoint = keeper.open_endpoint().await?;
        let mut command = Command::new(own_program()?);
        command
            .arg("leash")
            .arg("--")
            .arg(&order.program)
            .args(&order.args)
            .current_dir(&order.dir)
            .env("SZK_CDP_ENDPOINT", &endpoint.http_url)
            .env("SZK_CDP_WS_ENDPOINT", &endpoint.ws_url)
            .env("SZK_SESSION", keeper.session.name().to_string())
            .env("FORCE_COLOR", "0")
            // Node warns if both are set.
            .env_remove("NO_COLOR")
            .envs(order.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let failed = |error| {
            Failure::internal(format!(
                "cannot start `{}`: {error}",
                order.program.display()
            ))
        };
        let mut leash = command.spawn().map_err(failed)?;
        let output = Output::default();
        let mut streams = Vec::new();
        streams.extend(leash.stdout.take().map(|stream| output.follow(stream)));
        streams.extend(leash.stderr.take().map(|stream| output.follow(stream)));
        Ok(Self {
            group: leash
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw),
            hold: leash.stdin.take(),
            leash,
            streams,
            output,
            limit: order.limit,
        })
    }

    /// Its output so far.
    pub(crate) fn output(&self) -> &Output {
        &self.output
    }

    /// Waits until it exits, until its time is up, or until the session closes, which is a failure.
    pub(crate) async fn end(mut self, keeper: &Keeper) -> Result<Ended, Failure> {
        let mut life = keeper.session.watch_life();
        let closing = async move {
            life.wait_for(|life| matches!(life, Lifecycle::Closing | Lifecycle::Closed(_)))
                .await
                .is_ok()
        };
        let ended = tokio::select! {
            ended = self.leash.wait() => Some(ended),
            () = tokio::time::sleep(self.limit) => None,
            _ = closing => {
                self.stop().await;
                return Err(Failure::new(Code::Cancelled, "the session was closed meanwhile").effect(Done::Unknown));
            }
        };
        match ended {
            Some(ended) => {
                // A guard that was killed has left its program behind.
                if ended.as_ref().is_ok_and(|ended| ended.signal().is_some()) {
                    self.kill_group();
                }
                self.last_words().await;
                let ended = ended.map_err(|error| {
                    Failure::internal(format!("lost track of a program: {error}"))
                })?;
                Ok(Ended::Itself(ended))
            }
            None => {
                self.stop().await;
                Ok(Ended::TimeUp)
            }
        }
    }

    /// Stops it, and returns once all its processes are gone.
    async fn stop(&mut self) {
        self.hold = None;
        let gone = tokio::time::timeout(guard::GRACE + GONE, self.leash.wait()).await;
        if gone.is_err() {
            tracing::warn!("a process guard did not end its programs; killing its process group");
        }
        // Whatever happened to the guard, its group must not stay.
        self.kill_group();
        self.last_words().await;
    }

    fn kill_group(&self) {
        if let Some(group) = self.group {
            // Err: no process is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    async fn last_words(&mut self) {
        let read = async {
            for stream in &mut self.streams {
                // Err: it panicked; what it had read is there.
                let _ = stream.await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, read).await;
    }
}

/// The path of this program, on Linux even if a newer version has replaced its file.
fn own_program() -> Result<PathBuf, Failure> {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.to_owned());
    }
    std::env::current_exe()
        .map_err(|error| Failure::internal(format!("cannot find the szk executable: {error}")))
}
