//! What a press really hit: an element may move between the last check and the press.

use std::pin::Pin;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::ActError;
use super::actor::Actor;
use super::look::{Look, Press};
use super::settle::Watch;
use super::target::Located;
use super::world::World;

/// How long the page may take to report what a press hit, once it has acknowledged the press.
const TOLD: Duration = Duration::from_millis(250);

/// Completes when the document has seen a press, with what it hit.
pub(super) type Landing =
    Pin<Box<dyn Future<Output = Result<Option<Press>, ActError>> + Send + Sync>>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Landed {
    press: Option<Press>,
    changes: u64,
    entered: Option<Entered>,
}

/// An element that was just pressed, for who goes on with the keys.
#[derive(Deserialize)]
pub(super) struct Entered {
    /// What is typed goes there.
    pub(super) focused: bool,
    /// It holds nothing.
    pub(super) empty: bool,
}

impl Actor<'_> {
    /// Asks the watched document to report what the next press hits.
    pub(super) fn expect_press(&mut self, world: &World) {
        self.landing = Some(Box::pin(world.ask("struck", &[])));
    }

    /// Judges what the last press hit, once all its effects are over.
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
                    let note = format!("the button was released over {aside}");
                    self.did.notes.push(note);
                }
                self.judge(press, happened)
            }
            // Pages can hide an event from us; then it either had an effect, or the element has not
            // moved.
            None if happened || watch.outcome.late || watch.over() => Ok(()),
            None => match watch.follow(self.still_there()).await {
                Some(Some(hit)) => Err(self.missed(hit, true)),
                Some(None) | None => Ok(()),
            },
        }
    }

    /// The same in the middle of an act that continues after the press.
    /// Answers how the element is since then, if there is one.
    pub(super) async fn landed(&mut self, located: &Located) -> Result<Option<Entered>, ActError> {
        self.landing = None;
        let asked = [json!(located.id)];
        let landed: Landed = located.world().ask("landed", &asked).await?;
        match landed.press {
            Some(press) => self.judge(press, landed.changes > 0)?,
            None if landed.changes > 0 => {}
            None => {
                if let Some(hit) = self.still_there().await {
                    return Err(self.missed(hit, true));
                }
            }
        }
        Ok(landed.entered)
    }

    fn judge(&mut self, press: Press, happened: bool) -> Result<(), ActError> {
        if self.aimed.is_none() {
            // The target was a point of the page, whatever is there.
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

    /// What is now at the point of the press, unless it is still the element.
    async fn still_there(&self) -> Option<String> {
        let (located, aim) = self.aimed.as_ref()?;
        let local = json!({"x": aim.local.x, "y": aim.local.y});
        let asked = located
            .world()
            .ask::<Look>("look", &[json!(located.id), local]);
        let look = asked.await.ok()?;
        // An element that is gone went away because of the press.
        if !look.connected || (look.open() && self.same_place(located, aim).await.unwrap_or(true)) {
            return None;
        }
        Some(look.cover.unwrap_or_else(|| "something else".to_owned()))
    }
}
