//! Takes the mouse of the display for an act, and finds out what the page sees of it.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::protocol::page::BringToFrontParams;

use super::ActError;
use super::actor::{Actor, Scene};
use super::target::Located;
use super::world::World;
use crate::input::{InputDevice, NoMouse, Seen, Viewport};

/// Milliseconds that a window may take to come to the front.
const FRONT: u32 = 1500;
/// Milliseconds that the page may take to see an event of the mouse.
pub(super) const SEES: u32 = 1000;
/// The same for events that a document need not see: the pointer may be over a frame.
pub(super) const MAY_SEE: u32 = 300;

#[derive(Deserialize)]
struct Placed {
    width: f64,
    height: f64,
    ratio: f64,
    attended: bool,
}

impl Scene<'_> {
    /// Takes the mouse of the display over this page, if there is one to take and the page can be brought
    /// in front of it. Otherwise input goes through DevTools, as the log says.
    pub async fn take_mouse(&self, device: &mut InputDevice) {
        if !device.wants_screen() {
            return;
        }
        device.take_turn().await;
        let taken = match self.placed().await {
            Ok(Some(view)) => device.take_screen(view).await,
            Ok(None) | Err(_) => Err(NoMouse::NoWindow),
        };
        if let Err(why) = taken {
            tracing::info!(%why, "input goes through DevTools");
            device.leave_screen();
        }
    }

    /// The viewport of the page once its window has the focus.
    async fn placed(&self) -> Result<Option<Viewport>, ActError> {
        let mut page = self.page().await?;
        let mut placed = page.world.ask::<Placed>("placed", &[json!(0)]).await;
        if let Err(ActError::Gone) = placed {
            self.worlds.forget_all();
            page = self.page().await?;
            placed = page.world.ask("placed", &[json!(0)]).await;
        }
        let mut placed = placed?;
        if !placed.attended {
            let front = BringToFrontParams::default();
            self.connection.run(Some(self.session), &front).await?;
            placed = page.world.ask("placed", &[json!(FRONT)]).await?;
        }
        Ok(placed.attended.then_some(Viewport {
            width: placed.width,
            height: placed.height,
            ratio: placed.ratio,
        }))
    }
}

impl Actor<'_> {
    /// Takes the mouse of the display, if there is one, for what is done in this document.
    pub(super) async fn take_mouse(&mut self, located: &Located) {
        self.scene.take_mouse(self.device).await;
        self.count(located.world(), located.id != 0).await;
    }

    /// Lets a document count what it sees of the mouse of the display. `surely`: it will see all of it.
    pub(super) async fn count(&mut self, world: &World, surely: bool) {
        if !self.device.on_screen() {
            return;
        }
        if world.ask::<Value>("hear", &[]).await.is_err() {
            self.device.leave_screen();
            return;
        }
        let (world, patience) = (world.clone(), if surely { SEES } else { MAY_SEE });
        self.device.seen_by(Arc::new(move |seen, count| {
            let name = match seen {
                Seen::Press => "down",
                Seen::Release => "up",
                Seen::Wheel => "wheel",
            };
            let asked = world.ask::<Value>("heard", &[json!(name), json!(count), json!(patience)]);
            // A page that is busy, or gone, does not say.
            let limit = Duration::from_millis(u64::from(patience) * 2);
            Box::pin(async move { drop(tokio::time::timeout(limit, asked).await) })
        }));
    }
}
