//! What a press really hit: an element may move between the last look at it and the press.

use std::pin::Pin;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::ActError;
use super::actor::Actor;
use super::look::{Look, Press};
use super::settle::Watch;
use super::target::Place;
use super::world::World;

/// How long the page may take to say what a press hit, once it has answered the press itself.
const TOLD: Duration = Duration::from_millis(250);

/// Ends when the document has seen a press, with what that hit.
pub(super) type Landing =
    Pin<Box<dyn Future<Output = Result<Option<Press>, ActError>> + Send + Sync>>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Landed {
    press: Option<Press>,
    changes: u64,
}

impl Actor<'_> {
    /// Asks the document that is watched to say what the next press hits.
    pub(super) fn expect_press(&mut self, world: &World) {
        self.landing = Some(Box::pin(world.ask("struck", &[])));
    }

    /// Looks at what the last press hit, once all that it caused is over.
    pub(super) async fn judge_press(&mut self, watch: &mut Watch<'_>) -> Result<(), ActError> {
        let Some(landing) = self.landing.take() else {
            return Ok(());
        };
        let told = match tokio::time::timeout(TOLD, landing).await {
            Ok(Ok(told)) => told,
            Ok(Err(_)) | Err(_) => None,
        };
        let happened = watch.outcome.happened();
        match told {
            Some(press) => {
                if let Some(aside) = watch.slipped.take() {
                    let note = format!("the button was let go over {aside}");
                    self.did.notes.push(note);
                }
                self.judge(press, happened)
            }
            // Pages can keep an event from us; then something came of it, or the element is where it was.
            None if happened || watch.outcome.late || watch.over() => Ok(()),
            None => match watch.follow(self.still_there()).await {
                Some(Some(hit)) => Err(self.missed(hit, true)),
                Some(None) | None => Ok(()),
            },
        }
    }

    /// The same in the middle of an act that goes on after the press.
    pub(super) async fn landed(&mut self, place: &Place) -> Result<(), ActError> {
        self.landing = None;
        let landed: Landed = place.world().ask("landed", &[]).await?;
        match landed.press {
            Some(press) => self.judge(press, landed.changes > 0),
            None if landed.changes > 0 => Ok(()),
            None => match self.still_there().await {
                Some(hit) => Err(self.missed(hit, true)),
                None => Ok(()),
            },
        }
    }

    fn judge(&mut self, press: Press, happened: bool) -> Result<(), ActError> {
        if self.aimed.is_none() {
            // A place of the page was meant, whatever is there.
            self.did.target = Some(press.name);
            return Ok(());
        }
        if press.hit {
            return Ok(());
        }
        Err(self.missed(press.name, !happened && !press.live))
    }

    fn missed(&self, hit: String, harmless: bool) -> ActError {
        ActError::Missed {
            target: self.did.target.clone().unwrap_or_default(),
            hit,
            harmless,
        }
    }

    /// What is now where the press went, unless that is still the element.
    async fn still_there(&self) -> Option<String> {
        let (place, aim) = self.aimed.as_ref()?;
        let local = json!({"x": aim.local.x, "y": aim.local.y});
        let asked = place.world().ask::<Look>("look", &[json!(place.id), local]);
        let look = asked.await.ok()?;
        // One that is gone went because of the press.
        if !look.connected || (look.open() && self.same_place(place, aim).await.unwrap_or(true)) {
            return None;
        }
        Some(look.cover.unwrap_or_else(|| "something else".to_owned()))
    }
}
