//! Ends Chromium: asks, closes the pipe, interrupts, kills, and checks that its whole process group is
//! gone.
//!
//! Never starts with SIGTERM, which loses fresh cookies and leaves Singleton locks behind.

use std::time::Duration;

use rustix::process::Signal;
use szk_cdp::protocol::browser::CloseParams;

use super::Chromium;

/// How long Chromium may take to write its profile after `Browser.close`.
const ASKED: Duration = Duration::from_secs(10);
/// How long it may take once its pipe is closed.
const PIPE_CLOSED: Duration = Duration::from_secs(6);
/// How long it may take after SIGINT.
const INTERRUPTED: Duration = Duration::from_secs(3);
/// How long its children may outlive it.
const FAMILY: Duration = Duration::from_secs(3);
/// How long its crash handlers may.
const HANDLERS: Duration = Duration::from_secs(5);
/// How often to check on the process group; there is no event for the exit of another process's child.
const LOOK: Duration = Duration::from_millis(10);

/// The step that ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It had already exited.
    Before,
    /// It exited when asked.
    Asked,
    /// It exited when its pipe was closed.
    PipeClosed,
    /// It exited on SIGINT.
    Interrupted,
    /// It had to be killed, and lost whatever it had not written.
    Killed,
}

/// Ends a browser whose start is abandoned (its future was dropped). Otherwise it would live on behind a
/// pipe that its own supervisor keeps open.
pub(crate) struct Unfinished(Option<Chromium>);

impl Unfinished {
    pub(crate) fn of(chromium: &Chromium) -> Self {
        Self(Some(chromium.clone()))
    }

    /// Someone else is responsible for ending it from now on.
    pub(crate) fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(chromium) = self.0.take() {
            chromium.connection().close();
            if chromium.exit().is_none() {
                chromium.signal(Signal::KILL);
            }
        }
    }
}

impl Chromium {
    /// Ends Chromium and its children, politely first. Returns once all of them are gone.
    pub async fn end(&self) -> Ended {
        let ended = self.end_browser().await;
        self.end_process_group().await;
        self.end_of_crash_handlers().await;
        ended
    }

    async fn end_browser(&self) -> Ended {
        if self.exit().is_some() {
            return Ended::Before;
        }
        // The answer may never come; only the exit counts.
        self.connection().tell(None, &CloseParams::default());
        if self.gone_within(ASKED).await {
            return Ended::Asked;
        }
        self.end_unasked().await
    }

    /// Ends a Chromium that no one has used, and its children. Does not ask: Chromium would wait for its
    /// first page, which may be held forever. It obeys the closing of its pipe and exits in order,
    /// whatever its pages do. Returns once all processes are gone.
    pub(crate) async fn give_up(&self) -> Ended {
        let ended = if self.exit().is_some() {
            Ended::Before
        } else {
            self.end_unasked().await
        };
        self.end_process_group().await;
        ended
    }

    /// Kills it before it writes anything more. [`Chromium::end`] does the rest.
    pub(crate) fn kill(&self) {
        if self.exit().is_none() {
            self.signal(Signal::KILL);
        }
    }

    async fn end_unasked(&self) -> Ended {
        self.connection().close();
        if self.gone_within(PIPE_CLOSED).await {
            return Ended::PipeClosed;
        }
        self.signal(Signal::INT);
        if self.gone_within(INTERRUPTED).await {
            return Ended::Interrupted;
        }
        self.signal(Signal::KILL);
        self.ended().await;
        Ended::Killed
    }

    /// Children exit by themselves once their parent is gone; kills one that hangs.
    pub(crate) async fn end_process_group(&self) {
        let waited = tokio::time::timeout(FAMILY, async {
            while self.group_is_alive() {
                tokio::time::sleep(LOOK).await;
            }
        });
        if waited.await.is_err() {
            tracing::warn!("children of Chromium outlived it; killing them");
            self.signal(Signal::KILL);
        }
        self.remove_leftovers();
    }

    /// Not killed: one that takes long may be writing a report.
    async fn end_of_crash_handlers(&self) {
        let _ = tokio::time::timeout(HANDLERS, async {
            while self.has_crash_handlers() {
                tokio::time::sleep(LOOK).await;
            }
        })
        .await;
    }

    async fn gone_within(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.ended()).await.is_ok()
    }
}
