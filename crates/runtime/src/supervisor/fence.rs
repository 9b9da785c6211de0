//! Keeps a tab at its origin while a call works in it: `[policy] approve` with `origin`.
//!
//! A navigation elsewhere, which a script or a redirect may start, is answered with "no content", so that
//! the page stays; the call is told where it would have gone, and a person may let it happen.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_cdp::CallError;
use szk_config::{Bounds, OriginPattern, stays_within};

use super::targets::{Tab, Targets};
use super::{Supervisor, guard};

/// The fences of a browser, by page.
#[derive(Clone, Default)]
pub(super) struct Fences {
    // A std mutex: nothing awaits under it.
    by_page: Arc<Mutex<HashMap<String, Vec<Arc<State>>>>>,
}

/// What one call allows in one tab.
struct State {
    /// The page's address when it began.
    from: String,
    /// Addresses of other origins that it may go to.
    allowed: Vec<String>,
    /// The only origins that it may go to, whatever else is allowed.
    within: Option<Arc<[OriginPattern]>>,
    /// The call is over: only the popups that it opened are still held.
    over: AtomicBool,
    stopped: Mutex<Vec<String>>,
}

/// As long as this lives, the tab stays at its origin.
pub struct Fence {
    fences: Fences,
    page: String,
    state: Arc<State>,
}

impl Supervisor {
    /// Keeps a tab, and the popups it opens, at its origin and at those of `allowed` addresses.
    #[must_use]
    pub fn fence(&self, tab: &Tab, allowed: Vec<String>) -> Fence {
        self.stand(tab, allowed, None)
    }

    /// Keeps a tab, and the popups it opens, within these origins. [`Supervisor::watch_documents`] comes
    /// before.
    #[must_use]
    pub fn fence_within(&self, tab: &Tab, origins: Arc<[OriginPattern]>) -> Fence {
        self.stand(tab, Vec::new(), Some(origins))
    }

    /// Intercepts requests for documents from now on, so that a fence can stop them.
    ///
    /// # Errors
    /// The browser refused, or is gone.
    pub async fn watch_documents(&self) -> Result<(), CallError> {
        if self.documents.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let Some(order) = guard::order(&self.bounds, true) else {
            return Ok(());
        };
        let done = self.connection.run(None, &order).await;
        if done.is_err() {
            self.documents.store(false, Ordering::Relaxed);
        }
        done
    }

    fn stand(
        &self,
        tab: &Tab,
        allowed: Vec<String>,
        within: Option<Arc<[OriginPattern]>>,
    ) -> Fence {
        let page = tab.page.target_id.clone();
        let state = Arc::new(State {
            from: tab.page.url.clone(),
            allowed,
            within,
            over: AtomicBool::new(false),
            stopped: Mutex::default(),
        });
        let fences = self.fences.clone();
        let mut all = fences.lock();
        all.entry(page.clone()).or_default().push(state.clone());
        drop(all);
        Fence {
            fences,
            page,
            state,
        }
    }
}

impl Fence {
    /// Where the tab would have gone.
    #[must_use]
    pub fn stopped(&self) -> Vec<String> {
        lock(&self.state.stopped).clone()
    }

    /// Ends it for the tab, and holds the popups of the tab for a while longer: what an act opens may ask
    /// for its document only after the act.
    pub fn linger(self, time: Duration) {
        self.state.over.store(true, Ordering::Relaxed);
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            drop(self);
        });
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        let mut all = self.fences.lock();
        if let Some(states) = all.get_mut(&self.page) {
            states.retain(|state| !Arc::ptr_eq(state, &self.state));
            if states.is_empty() {
                all.remove(&self.page);
            }
        }
    }
}

impl Fences {
    /// Whether a document may load in a frame. A page without a fence has that of the page that opened it.
    pub(super) fn allow(&self, bounds: &Bounds, targets: &Targets, frame: &str, url: &str) -> bool {
        let all = self.lock();
        if all.is_empty() {
            return true;
        }
        let own = all.get(frame);
        let states = own.or_else(|| {
            let targets = targets.all();
            let page = targets.iter().find(|target| target.target_id == frame)?;
            all.get(page.opener.as_ref()?)
        });
        let states = states.into_iter().flatten();
        let states: Vec<&Arc<State>> = states
            .filter(|state| own.is_none() || !state.over.load(Ordering::Relaxed))
            .collect();
        if states.is_empty() {
            return true;
        }
        let fits = |state: &&Arc<State>| {
            if let Some(origins) = &state.within {
                return stays_within(origins, url);
            }
            let mut from = std::iter::once(&state.from).chain(&state.allowed);
            from.any(|from| !bounds.leaves(from, url))
        };
        // One that holds a tab within origins is not opened by another call's.
        let mut held = states.iter().filter(|state| state.within.is_some());
        if held.all(fits) && states.iter().any(fits) {
            return true;
        }
        for state in states {
            lock(&state.stopped).push(url.to_owned());
        }
        false
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Arc<State>>>> {
        lock(&self.by_page)
    }
}

fn lock<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}
