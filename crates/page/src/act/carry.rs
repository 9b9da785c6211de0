//! Drags with the mouse of the display, where the browser itself drags what the page has declared draggable; and
//! whether anything took what was dropped.

use std::time::Duration;

use serde_json::json;

use super::ActError;
use super::actor::Actor;
use super::drag::{End, towards};
use super::screen::MAY_SEE;
use super::target::Located;
use super::world::World;
use crate::input::Button;

/// CSS pixels after which a drag has begun for certain.
const BEGUN: i32 = 24;
/// Milliseconds that a page may be behind what it drags.
const BEHIND: u32 = 3000;
/// How long it may take to say what became of that.
const ANSWERS: Duration = Duration::from_secs(1);

impl Actor<'_> {
    /// Presses, moves and releases.
    pub(super) async fn carry_by_hand(
        &mut self,
        what: Option<&Located>,
        to: &End<'_>,
    ) -> Result<(), ActError> {
        self.press_to_drag(what).await?;
        let from = self.device.at().unwrap_or(to.at);
        let (x, y) = towards(from, to.at, BEGUN);
        self.device.move_to(x, y).await?;
        let end = self.end_by_now(to).await;
        let mut carried = None;
        if let Some(located) = self.located.clone()
            && self.carried(&located).await
        {
            self.device.carries();
            self.say("the page's own drag and drop");
            carried = Some(located);
        }
        self.device.move_to(end.0, end.1).await?;
        if let Some(located) = &carried
            && !to.is_elsewhere(located)
        {
            wait_until_over(located, end).await;
        }
        self.device.dwell().await;
        self.ack = Some(self.device.release(Button::Left, 1));
        if let Some(located) = &carried {
            self.answered().await;
            self.say_if_refused(located.world()).await;
        }
        Ok(())
    }

    /// Whether the page began a drag of its own under the button of the display's mouse.
    async fn carried(&self, located: &Located) -> bool {
        let asked = [json!(located.id), json!(MAY_SEE)];
        let drags = located.world().ask::<bool>("drags", &asked);
        drags.await.unwrap_or(false)
    }

    /// Says so where a document has seen the end of its drag, and nothing has taken what was dropped.
    pub(super) async fn say_if_refused(&mut self, world: &World) {
        let taken = world.ask::<Option<bool>>("taken", &[]);
        if let Ok(Ok(Some(false))) = tokio::time::timeout(ANSWERS, taken).await {
            self.say("nothing there took what was dropped");
        }
    }
}

/// Lets a document watch what becomes of its drag. A busy one is dropped on all the same.
pub(super) async fn await_drop(world: &World) {
    let _ = tokio::time::timeout(ANSWERS, world.ask::<bool>("await_drop", &[])).await;
}

/// Waits until the page has seen what is dragged at its end, though not for ever. If the button goes up before
/// that, a browser that is behind its window system drops it nowhere.
async fn wait_until_over(located: &Located, end: (i32, i32)) {
    // A frame counts from its own corner, and what happens in it is not seen around it.
    if located.levels.len() > 1 {
        return;
    }
    let place = [json!(end.0), json!(end.1)];
    let came = async {
        let world = located.world();
        if !world.ask::<bool>("framed", &place).await.unwrap_or(true) {
            let [x, y] = place;
            let _ = world.ask::<bool>("over", &[x, y, json!(BEHIND)]).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(BEHIND.into()) + ANSWERS, came).await;
}
