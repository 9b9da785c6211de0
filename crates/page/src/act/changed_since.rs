//! Whether a page has changed since its last act ended. The wait for late effects starts a moment after that, and
//! cannot see what changes in between.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_cdp::SessionId;

use super::actor::Scene;
use super::world::World;

/// How many pages to remember.
const KNOWN: usize = 64;
/// How long a page may take to say it.
const ANSWERS: Duration = Duration::from_millis(400);

/// For each page, the world in which its last act was watched.
#[derive(Default)]
pub(super) struct LastWatched(
    // A std mutex: nothing awaits under it.
    Mutex<HashMap<SessionId, World>>,
);

impl LastWatched {
    /// Notes where the last act of a page was watched, if it was.
    pub(super) fn set(&self, page: &SessionId, world: Option<&World>) {
        let mut known = self.known();
        known.remove(page);
        if known.len() >= KNOWN {
            known.clear();
        }
        known.extend(world.map(|world| (page.clone(), world.clone())));
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SessionId, World>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scene<'_> {
    /// Whether the document of the page's last act has changed since that act ended.
    pub async fn changed_since_last_act(&self) -> bool {
        let world = self.worlds.last_watched.known().get(self.session).cloned();
        let Some(world) = world else {
            return false;
        };
        let asked = tokio::time::timeout(ANSWERS, world.ask::<bool>("changed_since", &[]));
        matches!(asked.await, Ok(Ok(true)))
    }
}
