//! Performs one act, from finding its target to reporting what happened.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::{CallError, Connection, SessionId};
use tokio::time::Instant;

use super::aim::Aim;
use super::click::Switched;
use super::drag::DropAt;
use super::landing::Landing;
use super::look::Look;
use super::outcome::Outcome;
use super::pointer::Moving;
use super::scroll::Scroll;
use super::settle::{BlockedByDialog, Watch};
use super::target::{Located, Target};
use super::wait::Wait;
use super::{ActError, Clicking, Worlds};
use crate::input::{Ack, Button, Chord, InputDevice, Pace};
use crate::snapshot::Watched;

/// How often to press again when what moves got away and nothing felt the press.
const MISSES: u32 = 3;
/// How often to look again for an element that vanishes under the pointer.
const AGAIN: u32 = 3;
/// What is said of an element that a page replaced between press and release: browsers click neither then.
const UNCLICKED: &str = "not clicked: the page put a new element in its place while it was pressed; click again, unless the press alone did what you want";

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Click the target.
    Click(Clicking),
    /// Add text at the caret: at the end of the target, if it had to be focused first.
    Type(String),
    /// Make the target contain exactly this text.
    Fill(String),
    /// Press a chord this many times.
    Press(Chord, u32),
    /// Move the pointer over the target.
    Hover,
    /// Press a button over the target, or where the pointer is, and keep it down.
    Down(Button),
    /// Move the pointer.
    Move(Moving),
    /// Release a button over the target, or where the pointer is.
    Up(Button),
    /// Drag the target somewhere.
    Drag(DropAt),
    /// Choose options by label or value.
    Select(Vec<String>),
    /// Turn a check box, radio button or switch on or off.
    Check(bool),
    /// Scroll.
    Scroll(Scroll),
    /// Give files to a file field, or to the chooser that the target opens.
    Upload(Vec<PathBuf>),
    /// Wait for something.
    Wait(Wait),
    /// Make the page's viewport this size.
    Resize(u32, u32),
    /// Give the target the focus.
    Focus,
}

/// The tab to act in.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The browser.
    pub connection: &'a Connection,
    /// The session of the page.
    pub session: &'a SessionId,
    /// CDP's id of the page, which is also that of its main frame.
    pub target_id: &'a str,
    /// Our isolated worlds.
    pub worlds: &'a Worlds,
    /// The session of a frame that has its own process.
    pub sessions: &'a (dyn Fn(&str) -> Option<SessionId> + Send + Sync),
    /// The sessions of all such frames.
    pub frames: &'a (dyn Fn() -> Vec<SessionId> + Send + Sync),
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Did {
    /// The element, as people would name it.
    pub target: Option<String>,
    /// Where the pointer went.
    pub at: Option<(i32, i32)>,
    /// What a field now holds, read back; passwords as dots.
    pub value: Option<String>,
    /// The viewport's size before it was resized.
    pub size_before: Option<(u32, u32)>,
    /// It holds something other than requested.
    pub differs: bool,
    /// It was already as requested, so nothing was done.
    pub already: bool,
    /// It was pressed and not clicked, because the page replaced it meanwhile.
    pub unclicked: bool,
    /// Notes on how it was done.
    pub notes: Vec<String>,
    /// What happened.
    pub outcome: Outcome,
    /// Its number in the log of acts.
    pub logged: Option<u64>,
    /// The element before the act, for what became of it.
    pub watched: Option<Watched>,
}

/// A failed act, and whether it had done anything by then.
#[derive(Debug)]
pub struct Failed {
    /// Why.
    pub error: ActError,
    /// Input beyond moving the pointer was sent.
    pub begun: bool,
    /// The page has seen the pointer on its way.
    pub approached: bool,
}

impl Failed {
    /// It failed before the page could see anything.
    #[must_use]
    pub fn unseen(error: ActError) -> Self {
        Self {
            error,
            begun: false,
            approached: false,
        }
    }
}

/// Performs acts.
pub struct Actor<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) device: &'a mut InputDevice,
    pub(super) did: Did,
    /// The reply to the last input.
    pub(super) ack: Option<Ack>,
    /// The element that was acted on.
    pub(super) located: Option<Located>,
    /// What its field should hold in the end.
    pub(super) expected: Option<String>,
    /// Read the field back, whatever it should hold.
    pub(super) read_back: bool,
    /// Input beyond moving the pointer was sent, so there is no retry.
    pub(super) acted: bool,
    /// The state of the target when it was found.
    pub(super) first_look: Option<(u32, Box<Look>)>,
    /// Aim for the exact centre, because a point near it failed.
    pub(super) exact: bool,
    /// Aim for this point of the element's box.
    pub(super) offset: Option<(i32, i32)>,
    /// How often the pointer was aimed at something that keeps moving.
    pub(super) aims: u32,
    /// The element that the pointer was last moved to, and the point.
    pub(super) aimed: Option<(Located, Aim)>,
    /// Reports what the last press hit, if that is to be judged at the end.
    pub(super) landing: Option<Landing>,
    /// The list does not hold what was chosen.
    pub(super) refused: bool,
    /// Nothing has shown so far that a custom list took a choice.
    pub(super) untaken: bool,
    /// The text that was added; the field may hold more than that.
    pub(super) typed: Option<String>,
    /// A field got the files.
    pub(super) given: bool,
    /// What a switch was turned to.
    pub(super) switched: Option<bool>,
    /// The page can see what was done so far.
    begun: Arc<AtomicBool>,
    /// When the act has to be over.
    pub(super) deadline: Instant,
}

/// What is said of something that got away from under the button, by how often it was pressed again.
fn missed(again: u32) -> String {
    let times = match again {
        1 => "once".to_owned(),
        again => format!("{again} times"),
    };
    format!("it moved away before the press: pressed again {times}")
}

/// What a field holds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FieldValue {
    pub(super) same: bool,
    pub(super) value: String,
    /// What it is instead, if it is a switch.
    pub(super) switch: Option<Switched>,
}

impl<'a> Actor<'a> {
    /// Performs an act and waits for its effects, until the deadline or until a dialog that stays open
    /// blocks the page, as `asked` reports.
    ///
    /// # Errors
    /// [`Failed`], which says whether anything had been done by then.
    pub async fn perform(
        scene: Scene<'a>,
        device: &'a mut InputDevice,
        act: Act,
        target: Option<Target>,
        deadline: Instant,
        asked: BlockedByDialog<'_>,
    ) -> Result<Did, Failed> {
        let begun = Arc::new(AtomicBool::new(false));
        let mut watch = Watch::new(
            scene.connection,
            scene.session,
            scene.target_id,
            Arc::clone(&begun),
            deadline,
            device.pace() == Pace::Fast,
            asked,
        );
        let mut actor = Self {
            scene,
            device,
            did: Did::default(),
            ack: None,
            located: None,
            expected: None,
            read_back: false,
            acted: false,
            first_look: None,
            exact: false,
            offset: None,
            aims: 0,
            aimed: None,
            landing: None,
            refused: false,
            untaken: false,
            typed: None,
            given: false,
            switched: None,
            begun,
            deadline,
        };
        let mut done = actor.carry_out(&mut watch, &act, target.as_ref()).await;
        let mut left = MISSES;
        // The press missed without any effect: aim again.
        while left > 0 && matches!(done, Err(ActError::Missed { harmless: true, .. })) {
            left -= 1;
            actor.start_over();
            done = actor.carry_out(&mut watch, &act, target.as_ref()).await;
        }
        if left < MISSES {
            actor.say(&missed(MISSES - left));
        }
        if let Err(error) = done {
            return Err(Failed {
                error,
                begun: actor.acted,
                approached: actor.begun.load(Ordering::Relaxed),
            });
        }
        let arrived = watch.outcome.navigation.as_ref().is_some_and(|navigation| {
            navigation.journey == super::Journey::Arrived && !navigation.in_frame
        });
        watch.dialog_told().await;
        if watch.outcome.downloads.len() < watch.downloads && !watch.asks {
            let note = "a download was requested but has not started yet";
            actor.did.notes.push(note.to_owned());
        }
        if actor.read_back && !arrived && !watch.outcome.late && !watch.asks {
            match watch.field.take() {
                Some(held) => actor.took(held),
                None => drop(watch.follow(actor.read()).await),
            }
        }
        let mut did = actor.did;
        if actor.untaken && !watch.outcome.led() {
            did.differs = true;
            did.value = None;
        }
        did.outcome = watch.outcome;
        Ok(did)
    }

    /// Performs it, and waits until its effects are over.
    async fn carry_out(
        &mut self,
        watch: &mut Watch<'_>,
        act: &Act,
        target: Option<&Target>,
    ) -> Result<(), ActError> {
        let worked = watch.follow(self.work(act.clone(), target.cloned())).await;
        match worked {
            Some(Ok(())) => {}
            // The page went away during the act: the act caused that.
            Some(Err(ActError::Gone | ActError::Stale)) if self.acted => {}
            Some(Err(error)) => return Err(error),
            None if watch.outcome.closed => self.ended(act).await?,
            None if watch.asks && self.acted => {
                let note =
                    "the dialog opened before the act finished: check the page once it is answered";
                self.did.notes.push(note.to_owned());
            }
            None if watch.asks => return Err(ActError::Dialog),
            None => {
                return Err(ActError::Late);
            }
        }
        if !matches!(act, Act::Wait(_)) && !self.did.already {
            // Others may have the mouse while the page is watched.
            self.device.give_turn().await;
            let world = self.located.as_ref().map(|located| located.world().clone());
            if let Some(world) = &world {
                watch.also(&world.session);
            }
            (watch.question, watch.field) = (self.question().filter(|_| self.read_back), None);
            watch.settle(self.ack.take(), world.as_ref()).await;
            let last = &self.scene.worlds.last_watched;
            last.set(self.scene.session, world.as_ref());
        }
        if watch.outcome.closed {
            self.alive().await?;
        }
        self.judge_press(watch).await?;
        if matches!(act, Act::Click(_)) && watch.replaced {
            self.did.unclicked = true;
            self.say(UNCLICKED);
        }
        Ok(())
    }

    /// The tab is gone: an act may have led to that, though only one that had begun, and nothing that is waited for
    /// has come.
    async fn ended(&self, act: &Act) -> Result<(), ActError> {
        self.alive().await?;
        match act {
            Act::Wait(_) => Err(ActError::Closed),
            Act::Upload(_) if !self.given => Err(ActError::Closed),
            _ if !self.acted => Err(ActError::Closed),
            _ => Ok(()),
        }
    }

    /// Fails where the whole browser has ended.
    async fn alive(&self) -> Result<(), ActError> {
        let connection = self.scene.connection;
        if connection.is_closed() {
            let reason = connection.closed().await;
            return Err(CallError::Closed { reason }.into());
        }
        Ok(())
    }

    /// Forgets the first attempt, but not that the page has seen it.
    fn start_over(&mut self) {
        self.did = Did::default();
        self.ack = None;
        self.located = None;
        self.expected = None;
        self.typed = None;
        self.switched = None;
        self.read_back = false;
        self.untaken = false;
        self.first_look = None;
    }

    async fn work(&mut self, act: Act, target: Option<Target>) -> Result<(), ActError> {
        match act {
            Act::Wait(wait) => return self.wait(&wait, target).await,
            Act::Resize(width, height) => return self.resize(width, height).await,
            _ => {}
        }
        self.device.take_turn().await;
        self.free_buttons(&act).await?;
        let target = self.or_here(&act, target)?;
        if let Some(Target::Point(x, y)) = target {
            return self.at_point(act, x, y).await;
        }
        for _ in 0..AGAIN {
            match self.once(act.clone(), target.as_ref()).await {
                // Rebuilt when the pointer arrived, like lists of some frameworks: the new element is
                // meant.
                Err(ActError::Stale)
                    if !self.acted
                        && matches!(
                            target.as_ref().map(Target::split),
                            Some((Target::Selector(_), _))
                        ) => {}
                done => return done,
            }
        }
        self.once(act, target.as_ref()).await
    }

    async fn once(&mut self, act: Act, target: Option<&Target>) -> Result<(), ActError> {
        let located = match target {
            Some(target) => {
                let (located, look) = self.scene.locate(target).await?;
                self.first_look = look.map(|look| (located.id, Box::new(look)));
                Some(located)
            }
            None => None,
        };
        self.offset = target.and_then(|target| target.split().1);
        self.located.clone_from(&located);
        match (act, located) {
            (Act::Click(clicking), Some(located)) => self.click(&located, &clicking).await,
            (Act::Hover, Some(located)) => self.hover(&located).await,
            (Act::Focus, Some(located)) => self.focus(&located).await,
            (Act::Type(text), located) => self.type_into(located, &text).await,
            (Act::Fill(text), Some(located)) => self.fill(&located, &text).await,
            (Act::Press(chord, count), located) => self.press(located, &chord, count).await,
            (Act::Down(button), Some(located)) => self.down_on(&located, button).await,
            (Act::Move(moving), Some(located)) => self.move_onto(&located, moving).await,
            (Act::Up(button), Some(located)) => self.up_over(&located, button).await,
            (Act::Drag(to), Some(located)) => self.drag(&located, &to).await,
            (Act::Select(wanted), Some(located)) => self.select(&located, &wanted).await,
            (Act::Check(on), Some(located)) => self.check(&located, on).await,
            (Act::Scroll(scroll), located) => self.scroll(located, scroll).await,
            (Act::Upload(paths), Some(located)) => self.upload(&located, &paths).await,
            _ => Err(ActError::Unsuited {
                target: "this kind of act".to_owned(),
                why: "needs a target".to_owned(),
            }),
        }
    }

    /// From now on the page sees what we do.
    pub(super) fn begin(&mut self) {
        self.acted = true;
        self.begun.store(true, Ordering::Relaxed);
    }

    /// From now on the page sees the pointer, but nothing more yet.
    pub(super) fn approach(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The current state of an element.
    pub(super) async fn look(&self, located: &Located) -> Result<Look, ActError> {
        located
            .world()
            .ask("look", &[json!(located.id), Value::Null])
            .await
    }

    /// Starts watching the element's document for changes.
    pub(super) async fn watch(&self, located: &Located) -> Result<(), ActError> {
        located
            .world()
            .ask::<Value>("watch", &[json!(located.id)])
            .await?;
        Ok(())
    }

    /// The question of what the field holds: its word, and what it takes.
    fn question(&self) -> Option<Value> {
        let located = self.located.as_ref()?;
        Some(match (&self.typed, self.switched) {
            (_, Some(on)) => json!(["switch_is", located.id, on]),
            (Some(typed), None) => json!(["typed", located.id, typed]),
            (None, None) => json!(["value", located.id, self.expected]),
        })
    }

    /// Reads the field back.
    async fn read(&mut self) -> Result<(), ActError> {
        let (Some(located), Some(Value::Array(asked))) = (&self.located, self.question()) else {
            return Ok(());
        };
        let word = asked[0].as_str().unwrap_or_default();
        let held = located.world().ask(word, &asked[1..]).await?;
        self.took(held);
        Ok(())
    }

    fn took(&mut self, held: FieldValue) {
        if let Some(on) = self.switched {
            return self.is_still(held.switch.unwrap_or(Switched::AsAsked), on);
        }
        self.did.differs = !held.same || self.refused;
        self.did.value = Some(held.value);
    }
}
