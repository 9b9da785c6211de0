//! Keeps a tab at its origin while a call works in it: `[policy] approve` with `origin`.
//!
//! A navigation elsewhere, which a script or a redirect may start, is answered with "no content", so that
//! the page stays; the call is told where it would have gone, and a person may let it happen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use szk_config::Bounds;

use super::Supervisor;
use super::targets::{Tab, Targets};

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
        let page = tab.page.target_id.clone();
        let state = Arc::new(State {
            from: tab.page.url.clone(),
            allowed,
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
        let states = all.get(frame).or_else(|| {
            let targets = targets.all();
            let page = targets.iter().find(|target| target.target_id == frame)?;
            all.get(page.opener.as_ref()?)
        });
        let Some(states) = states else { return true };
        let fits = |state: &Arc<State>| {
            let mut from = std::iter::once(&state.from).chain(&state.allowed);
            from.any(|from| !bounds.leaves(from, url))
        };
        if states.iter().any(fits) {
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
