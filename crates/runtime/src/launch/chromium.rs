//! A running Chromium: its pipe, its process and its exit.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use szk_cdp::protocol::browser::GetVersionParams;
use szk_cdp::{Connection, Events, Reply, Request};
use szk_screen::Screen;
use szk_store::temporary;
use tokio::sync::watch;

use super::display::Display;
use super::tail::Tail;
use super::{LaunchError, Plan, crash_handlers, process_group, spawn};

/// How long Chromium may take to start and answer.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How Chromium exited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Whether it exited in order, with all its files written: exit code 0, and its lock is gone.
    pub clean: bool,
    /// Whether its exit code was 0, whatever it left behind.
    pub success: bool,
    /// Exit code or signal, and its last output if it did not exit cleanly.
    pub text: String,
}

/// A handle on the one Chromium; cheap to clone. Dropping all handles does not end the process;
/// [`Chromium::end`] does, and so does the exit of this process, because that closes the pipe.
#[derive(Clone)]
pub struct Chromium {
    connection: Connection,
    group: Pid,
    /// Product as Chromium reports it, e.g. `Chrome/156.0.8078.79`.
    product: Arc<str>,
    /// User agent as Chromium reports it.
    user_agent: Arc<str>,
    /// The folder of its temporary files.
    temporary: Option<Arc<Path>>,
    /// What it draws on, if szk has started that for it.
    screen: Option<Screen>,
    /// Set once, by the task that reaps the child.
    exit: watch::Receiver<Option<Exit>>,
}

/// What the browser reports about itself.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Version {
    product: String,
    user_agent: String,
}

impl Chromium {
    /// Starts Chromium and waits for its first answer.
    ///
    /// # Errors
    /// [`LaunchError`]; then no process is left behind.
    pub async fn start(plan: &Plan) -> Result<(Self, Events), LaunchError> {
        Self::start_with(plan, |_, events| events).await
    }

    /// The same. `begin` already sends what the browser is to do as soon as it reads its pipe, so that
    /// nothing waits for its first answer.
    pub(crate) async fn start_with<T>(
        plan: &Plan,
        begin: impl FnOnce(&Connection, Events) -> T,
    ) -> Result<(Self, T), LaunchError> {
        let failed = |source| LaunchError::Spawn {
            path: plan.binary.clone(),
            source,
        };
        let temporary = temporary::renew(&plan.user_data_dir);
        let temporary = temporary.map_err(|error| failed(io::Error::other(error)))?;
        let display = if plan.xvfb {
            let display = Display::start(&plan.identity, &temporary).await;
            Some(display.map_err(LaunchError::Display)?)
        } else {
            None
        };
        let spawned = spawn::spawn(plan, &temporary, display.as_ref()).map_err(failed)?;
        let mut child = spawned.child;
        let tail = Tail::default();
        let follower = child
            .stderr
            .take()
            .map(|stderr| tokio::spawn(tail.clone().follow(stderr)));
        // The process was just started and is reaped only below, so its id is valid and positive.
        let group = child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?))
            .ok_or_else(|| LaunchError::Ended {
                path: plan.binary.clone(),
                success: false,
                status: "at once".into(),
                stderr: tail.text(),
            })?;
        let (connection, events) = Connection::start(spawned.reader, spawned.writer);
        let (ended, exit) = watch::channel(None);
        let screen = display.as_ref().map(|display| display.screen().clone());
        let last_words = tail.clone();
        let lock = plan.user_data_dir.join("SingletonLock");
        tokio::spawn(async move {
            let status = child.wait().await;
            if let Some(follower) = follower {
                // Grandchildren may hold stderr open; do not wait for their output.
                let _ = tokio::time::timeout(Duration::from_millis(100), follower).await;
            }
            let exit = match status {
                // On SIGTERM the exit code is 0 too, but cookies are unwritten and the lock remains.
                Ok(status) if status.success() && lock.symlink_metadata().is_ok() => Exit {
                    clean: false,
                    success: true,
                    text: format!("{status}, without writing its files"),
                },
                Ok(status) if status.success() => Exit {
                    clean: true,
                    success: true,
                    text: status.to_string(),
                },
                Ok(status) => Exit {
                    clean: false,
                    success: false,
                    text: with_words(&status.to_string(), &last_words.text()),
                },
                Err(error) => Exit {
                    clean: false,
                    success: false,
                    text: format!("cannot wait for it: {error}"),
                },
            };
            if let Some(display) = display {
                display.end().await;
            }
            ended.send_replace(Some(exit));
        });
        let mut chromium = Self {
            connection,
            group,
            product: "".into(),
            user_agent: "".into(),
            temporary: Some(temporary.into()),
            screen,
            exit,
        };
        let asked: Reply<Version> = chromium
            .connection
            .post(None, &Request::of(&GetVersionParams::default()));
        let begun = begin(&chromium.connection, events);
        match tokio::time::timeout(START_LIMIT, asked).await {
            Ok(Ok(version)) => {
                chromium.product = version.product.into();
                chromium.user_agent = version.user_agent.into();
                Ok((chromium, begun))
            }
            Ok(Err(_)) => {
                let exit = chromium.abandon().await;
                Err(LaunchError::Ended {
                    path: plan.binary.clone(),
                    success: exit.success,
                    status: exit.text,
                    stderr: String::new(),
                })
            }
            Err(_) => {
                chromium.abandon().await;
                Err(LaunchError::Silent {
                    path: plan.binary.clone(),
                    seconds: START_LIMIT.as_secs(),
                    extended: !plan.extensions.is_empty(),
                    stderr: tail.text(),
                })
            }
        }
    }

    /// One without a process, whose other end is a test.
    pub(crate) fn scripted(connection: Connection, version: &str) -> Self {
        Self {
            connection,
            // No system has as many processes, so there is nobody to signal.
            group: Pid::from_raw(i32::MAX).expect("it is positive"),
            product: format!("Chrome/{version}").into(),
            user_agent: "".into(),
            temporary: None,
            screen: None,
            exit: watch::channel(None).1,
        }
    }

    /// The pipe.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The screen it draws on, if no other browser does.
    #[must_use]
    pub fn screen(&self) -> Option<&Screen> {
        self.screen.as_ref()
    }

    /// Process id of the browser process; also its process group.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.group.as_raw_nonzero().get().unsigned_abs()
    }

    /// Product and version, e.g. `Chrome/156.0.8078.79`.
    #[must_use]
    pub fn product(&self) -> &str {
        &self.product
    }

    /// Version alone, e.g. `156.0.8078.79`.
    #[must_use]
    pub fn version(&self) -> &str {
        self.product
            .split_once('/')
            .map_or(&*self.product, |(_, version)| version)
    }

    /// The user agent that Chromium sends by default.
    #[must_use]
    pub fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// How it exited, if it has.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        self.exit.borrow().clone()
    }

    /// Waits until it exits.
    pub async fn ended(&self) -> Exit {
        let mut exit = self.exit.clone();
        match exit.wait_for(Option::is_some).await {
            Ok(exit) => exit.clone(),
            Err(_) => None,
        }
        .unwrap_or_else(|| Exit {
            clean: false,
            success: false,
            text: "its exit was not observed".into(),
        })
    }

    /// Signals the whole process group; no error if it is already gone.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Err(error) = kill_process_group(self.group, signal) {
            tracing::debug!(%error, ?signal, "no process to signal");
        }
    }

    /// Whether any process of the group is left, including children that outlived their parent.
    pub(crate) fn group_is_alive(&self) -> bool {
        process_group::is_alive(self.group)
    }

    /// Whether one of its crash handlers is left.
    pub(super) fn has_crash_handlers(&self) -> bool {
        let folder = self.temporary.as_deref();
        folder.is_some_and(crash_handlers::are_left)
    }

    /// Removes what it has left outside of the profile.
    pub(super) fn remove_leftovers(&self) {
        if let Some(folder) = &self.temporary {
            temporary::remove(folder);
        }
    }

    async fn abandon(&self) -> Exit {
        self.connection.close();
        if self.exit().is_none() {
            self.signal(Signal::KILL);
        }
        let exit = self.ended().await;
        self.remove_leftovers();
        exit
    }
}

fn with_words(status: &str, words: &str) -> String {
    if words.is_empty() {
        status.to_owned()
    } else {
        format!("{status}: {words}")
    }
}
