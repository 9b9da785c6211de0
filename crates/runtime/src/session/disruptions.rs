//! Events of the browser that are about to be noticed: an operation that fails just then waits a moment
//! to learn why.

use std::time::Duration;

use super::{Lifecycle, Session};

/// How long Chromium may take to exit after it has closed its tabs.
const ENDING: Duration = Duration::from_secs(5);
/// How long a tab may take to close whose page was stopped because Chromium exits.
const STOPPING: Duration = Duration::from_millis(200);
/// How long cookies and localStorage may take to be restored after their process has died.
const BACK: Duration = Duration::from_secs(12);
/// Pause between two checks; there is no event for either.
const LOOK: Duration = Duration::from_millis(20);

impl Session {
    /// Waits while the browser may be about to exit by itself, and returns whether it did. On SIGINT
    /// Chromium closes its tabs first; a session that has been without tabs for longer simply has none.
    pub async fn is_ending(&self) -> bool {
        self.ends_within(ENDING, |emptied| emptied.is_some_and(|age| age < ENDING))
            .await
    }

    /// The same for an operation that was stopped by it: the tab may still exist.
    pub async fn stops(&self) -> bool {
        let has_tabs = |emptied: Option<Duration>| emptied.is_none();
        self.ends_within(STOPPING, has_tabs).await || self.is_ending().await
    }

    async fn ends_within(
        &self,
        limit: Duration,
        may_end: impl Fn(Option<Duration>) -> bool,
    ) -> bool {
        let mut life = self.watch_life();
        let ends = async {
            loop {
                match &*life.borrow_and_update() {
                    Lifecycle::Running => {}
                    Lifecycle::Restarting { .. } => return false,
                    Lifecycle::Closing | Lifecycle::Closed(_) => return true,
                }
                let running = self.inner.running.borrow().clone();
                let emptied = running.and_then(|running| running.supervisor.emptied());
                if !may_end(emptied.map(|at| at.elapsed())) {
                    return false;
                }
                tokio::select! {
                    changed = life.changed() => if changed.is_err() { return true },
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        };
        tokio::time::timeout(limit, ends).await.unwrap_or(false)
    }

    /// How often a helper process has died. A page loaded in the meantime may have been logged out.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.inner.saver.losses()
    }

    /// Waits until data lost by a helper process is restored: a page loaded before that is logged out,
    /// or finds older entries in localStorage. Returns whether there was anything to wait for.
    pub async fn stores_back(&self) -> bool {
        let lost = || !self.inner.saver.not_back().is_empty();
        let mut waited = false;
        let back = async {
            while self.life() == Lifecycle::Running && lost() {
                waited = true;
                tokio::time::sleep(LOOK).await;
            }
        };
        let _ = tokio::time::timeout(BACK, back).await;
        waited
    }
}
