//! The element that the next act is likely to be meant for, looked at while the page is being read: the act begins
//! without a round trip of its own.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use super::ActError;
use super::actor::Scene;
use super::look::Look;
use super::target::Level;
use super::world::World;
use crate::snapshot::Element;

/// How long a look is good for.
const GOOD: Duration = Duration::from_millis(100);

/// A look that is on its way.
struct Ahead {
    element: Element,
    world: World,
    until: Instant,
    answer: BoxFuture<'static, Result<(u32, Look), ActError>>,
}

/// The latest look, until somebody takes its answer.
#[derive(Default)]
pub(super) struct LookedAhead(
    // A std mutex: nothing awaits under it.
    Mutex<Option<Ahead>>,
);

impl LookedAhead {
    fn set(&self, ahead: Option<Ahead>) -> Option<Ahead> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *known, ahead)
    }
}

impl Scene<'_> {
    /// Looks at an element that is probably acted on next, if that is in the page itself and a world of ours is
    /// there. Asks now and waits for nothing.
    pub fn look_ahead(&self, element: &Element) {
        let world = self.worlds.last_known(self.session, self.target_id);
        let world = world.filter(|_| element.frame == self.target_id);
        let ahead = world.map(|world| Ahead {
            element: element.clone(),
            until: Instant::now() + GOOD,
            answer: Box::pin(world.recognize(element)),
            world,
        });
        drop(self.worlds.ahead.set(ahead));
    }

    /// The look at this element, if it was looked at ahead a moment ago; whatever was, is forgotten.
    pub(super) async fn looked_ahead(
        &self,
        element: &Element,
        level: &Level,
    ) -> Option<Result<(u32, Look), ActError>> {
        let ahead = self.worlds.ahead.set(None)?;
        let fits = ahead.element == *element
            && ahead.world.is(&level.world)
            && Instant::now() < ahead.until;
        match fits {
            true => Some(ahead.answer.await),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::act::tests::element;
    use crate::act::{Target, Worlds};
    use crate::testing;

    #[tokio::test(start_paused = true)]
    async fn a_look_ahead_serves_the_same_element_once_and_not_for_long() {
        let (page, peer) = testing::page(testing::says(&json!([0, {"connected": true}])));
        let worlds = Worlds::default();
        let scene = Scene {
            connection: &page.connection,
            session: &page.session,
            target_id: &page.frame,
            worlds: &worlds,
            sessions: &|_| None,
            frames: &Vec::new,
        };
        let count = |method: &str| peer.methods().iter().filter(|one| *one == method).count();
        let asked = || count("Runtime.callFunctionOn");
        let go = Target::Element(element("Go"));

        // Without a world there is nothing to ask, and none to renew.
        scene.look_ahead(&element("Go"));
        worlds.go_on(scene.connection, scene.session, "T").await;
        assert_eq!((asked(), count("Page.createIsolatedWorld")), (0, 0));
        scene.locate(&go).await.unwrap();
        assert_eq!((asked(), count("Page.createIsolatedWorld")), (1, 1));

        scene.look_ahead(&element("Go"));
        scene.locate(&go).await.unwrap();
        assert_eq!(asked(), 2, "the look ahead and no other");
        scene.locate(&go).await.unwrap();
        assert_eq!(asked(), 3, "it is used up");
        scene.look_ahead(&element("Stop"));
        scene.locate(&go).await.unwrap();
        assert_eq!(asked(), 5, "it was another element");
        scene.look_ahead(&element("Go"));
        tokio::time::advance(GOOD).await;
        scene.locate(&go).await.unwrap();
        assert_eq!(asked(), 7, "it is too old");

        // A look at the previous document does not count.
        scene.look_ahead(&element("Go"));
        worlds.go_on(scene.connection, scene.session, "T").await;
        assert_eq!(count("Page.createIsolatedWorld"), 2);
        scene.locate(&go).await.unwrap();
        assert_eq!(asked(), 9);
    }
}
