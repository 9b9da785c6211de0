//! Saved tabs that wait: whoever opens a profile with an address looks at that page first.
//!
//! The page gets the tab that the browser starts with. The saved tabs open behind it once it has loaded, or
//! has taken too long.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::tabs::RestoreTo;
use super::{Inner, Lifecycle, Running, Session};

/// How long saved tabs wait for a page that nobody opens.
const MOST: Duration = Duration::from_secs(5);

impl Session {
    /// The addresses of the saved tabs that still wait for [`Session::restore_tabs`].
    #[must_use]
    pub fn held_tabs(&self) -> Vec<String> {
        self.inner.saver.held_tabs()
    }

    /// Says whether the page has the tab that the browser started with: it is about to come, or did not.
    pub fn page_has_first_tab(&self, has: bool) {
        self.inner.page_has_first_tab.store(has, Ordering::Relaxed);
    }

    /// Opens the saved tabs that wait: behind the page, if it has the first tab. Does nothing if none waits; if
    /// someone else is at it, waits for them. Goes on if the caller does not wait: half of it would be done
    /// twice.
    pub async fn restore_tabs(&self) {
        if self.inner.saver.holds_tabs() {
            let inner = Arc::clone(&self.inner);
            // Err: the runtime ends.
            let _ = tokio::spawn(async move { inner.restore_held_tabs().await }).await;
        }
    }
}

impl Inner {
    async fn restore_held_tabs(&self) {
        let _turn = self.restoring.lock().await;
        // One that closes leaves them saved; one that died meanwhile is restarted with all of its tabs.
        if *self.life.borrow() != Lifecycle::Running {
            return;
        }
        let Some(running) = self.running.borrow().clone() else {
            return;
        };
        let place = match self.page_has_first_tab.load(Ordering::Relaxed) {
            true => RestoreTo::Behind,
            false => RestoreTo::FirstTab,
        };
        let bounds = &self.plan.bounds;
        for warning in self.saver.restore_held(&running, bounds, place).await {
            self.warn(warning);
        }
        running.supervisor.gate().let_in();
    }

    /// After the start of a browser: clients come in at once, or after the tabs that wait.
    pub(super) fn admit(self: &Arc<Self>, running: &Running) {
        if !self.saver.holds_tabs() {
            running.supervisor.gate().let_in();
            return;
        }
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(MOST).await;
            inner.restore_held_tabs().await;
        });
    }
}
