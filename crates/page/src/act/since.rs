//! What has changed in a page since its last act was over: between that and whatever waits for late effects there
//! would be a moment in which nobody looks.

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

/// By page, where its last act was watched.
#[derive(Default)]
pub(super) struct Watching(
    // A std mutex: nothing awaits under it.
    Mutex<HashMap<SessionId, World>>,
);

impl Watching {
    /// The last act of a page was watched here, or nowhere.
    pub(super) fn was_in(&self, page: &SessionId, world: Option<&World>) {
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
    /// Whether the document of the last act has changed since that was over.
    pub async fn has_stirred(&self) -> bool {
        let world = self.worlds.watching.known().get(self.session).cloned();
        let Some(world) = world else {
            return false;
        };
        let asked = tokio::time::timeout(ANSWERS, world.ask::<bool>("stirred", &[]));
        matches!(asked.await, Ok(Ok(true)))
    }
}
