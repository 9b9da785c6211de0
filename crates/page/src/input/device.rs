//! One input device per tab, and where it left the pointer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use szk_cdp::{CallError, Connection, SessionId};
use szk_screen::{Screen, Turn};
use tokio::sync::{OwnedMutexGuard, watch};
use tokio::time::{Instant, sleep_until};

use super::event::{self, Ack, Button, KeyEvent, MouseAction, MouseState};
use super::random::Random;
use super::screen::ScreenMouse;
use super::{Layout, Pace, Person};

/// How long a single event in the middle of a gesture may go unacknowledged: a page may be busy, and a
/// click that opens a window is acknowledged late.
pub(super) const UNANSWERED: Duration = Duration::from_secs(2);
/// How late an event may be for its own schedule: a machine is busy for that long, but after a longer
/// wait the person begins anew.
const LATE: Duration = Duration::from_millis(150);
/// Most tabs to remember.
const KNOWN: usize = 512;

/// What remains of a hand from one act to the next.
#[derive(Debug)]
pub struct HandState {
    /// Where the pointer is, once it has been in the page.
    at: Option<(i32, i32)>,
    random: Random,
    /// Buttons that stay down between acts, as in `MouseEvent.buttons`.
    kept: watch::Sender<u8>,
    /// What the left one drags, while it stays down.
    drag: KeptDrag,
}

/// A native drag of the page under a button that stays down between acts.
#[derive(Debug, Clone, Default)]
pub enum KeptDrag {
    /// There is none.
    #[default]
    None,
    /// The button went down here; a little movement may begin one.
    Possible((i32, i32)),
    /// It is under way, with the data that Chromium gave it.
    Going {
        /// As `Input.dispatchDragEvent` wants it.
        data: Value,
        /// The page has seen it enter.
        entered: bool,
    },
}

impl HandState {
    /// The buttons that stay down between acts.
    #[must_use]
    pub fn kept(&self) -> Vec<Button> {
        let kept = *self.kept.borrow();
        let all = [Button::Left, Button::Middle, Button::Right];
        all.into_iter()
            .filter(|one| kept & one.bit() != 0)
            .collect()
    }

    /// Follows which buttons stay down, 0 when all are up again; nothing if somebody follows them already or
    /// none is down.
    pub fn begin_watch(&mut self) -> Option<watch::Receiver<u8>> {
        let free = self.kept.receiver_count() == 0 && *self.kept.borrow() != 0;
        free.then(|| self.kept.subscribe())
    }
}

/// The input devices of a session, by tab. Two acts in one tab take turns: there is only one mouse.
#[derive(Default)]
pub struct InputDevices {
    // A std mutex: nothing awaits under it.
    tabs: Mutex<HashMap<String, Arc<tokio::sync::Mutex<HandState>>>>,
}

impl InputDevices {
    /// Waits until no other act is using the tab.
    pub async fn take(&self, target_id: &str) -> OwnedMutexGuard<HandState> {
        self.of(target_id).lock_owned().await
    }

    /// The same without waiting; `None` while another act is using the tab.
    #[must_use]
    pub fn try_take(&self, target_id: &str) -> Option<OwnedMutexGuard<HandState>> {
        self.of(target_id).try_lock_owned().ok()
    }

    fn of(&self, target_id: &str) -> Arc<tokio::sync::Mutex<HandState>> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        if tabs.len() >= KNOWN {
            // The devices of closed tabs are unused.
            tabs.retain(|_, held| Arc::strong_count(held) > 1);
        }
        let held = tabs.entry(target_id.to_owned()).or_insert_with(|| {
            Arc::new(tokio::sync::Mutex::new(HandState {
                at: None,
                random: Random::fresh(),
                kept: watch::Sender::new(0),
                drag: KeptDrag::None,
            }))
        });
        Arc::clone(held)
    }
}

/// A mouse and a keyboard in one tab. Releases on drop whatever is still held, but not what it was told to
/// [keep](Self::keep).
pub struct InputDevice {
    pub(super) connection: Connection,
    pub(super) session: SessionId,
    pub(super) person: Person,
    pub(super) pace: Pace,
    pub(super) layout: Layout,
    /// Whether an input method enters what the layout lacks.
    pub(super) composes: bool,
    held: OwnedMutexGuard<HandState>,
    /// Buttons that are down, as in `MouseEvent.buttons`.
    buttons: u8,
    /// Modifiers that are down, as CDP's bits.
    pub(super) modifiers: u8,
    /// Keys that are down.
    down: Vec<KeyEvent>,
    /// When the person meant the next event to happen, if that was decided. Events carry this time: on a
    /// busy machine the one they are sent at would show a key pressed and released at once.
    due: Option<Instant>,
    /// When the last event happened, in the same sense.
    last: Option<Instant>,
    /// The screen that shows the page, if its mouse is for us alone.
    pub(super) screen: Option<Screen>,
    /// Its mouse, once it was taken.
    pub(super) on_screen: Option<ScreenMouse>,
    /// Nobody else uses that screen.
    pub(super) turn: Option<Turn>,
}

impl InputDevice {
    /// A device for this session's page, with the buttons down that earlier acts left down. Its events also reach frames of other processes: Chromium
    /// finds the one under the pointer, or the focused one.
    #[must_use]
    pub fn new(
        connection: Connection,
        session: SessionId,
        held: OwnedMutexGuard<HandState>,
        person: Person,
        pace: Pace,
        layout: Layout,
    ) -> Self {
        let buttons = *held.kept.borrow();
        Self {
            connection,
            session,
            person,
            pace,
            layout,
            composes: true,
            held,
            buttons,
            modifiers: 0,
            down: Vec::new(),
            due: None,
            last: None,
            screen: None,
            on_screen: None,
            turn: None,
        }
    }

    /// Its pace.
    #[must_use]
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Where the pointer is, in CSS pixels of the page's viewport.
    #[must_use]
    pub fn at(&self) -> Option<(i32, i32)> {
        self.held.at
    }

    /// Whether the pointer is in a viewport of this size.
    pub(crate) fn is_within(&self, width: f64, height: f64) -> bool {
        let inside = |at: i32, size: f64| (0.0..size).contains(&f64::from(at));
        self.at()
            .is_some_and(|(x, y)| inside(x, width) && inside(y, height))
    }

    /// Whether no button is down.
    pub(super) fn is_up(&self) -> bool {
        self.buttons == 0
    }

    /// The pointer is somewhere, without an event of ours.
    pub(super) fn is_at(&mut self, at: (i32, i32)) {
        self.held.at = Some(at);
    }

    /// The pointer is not in the page any more.
    pub(super) fn forget_place(&mut self) {
        self.held.at = None;
    }

    /// Keeps a button down when this device goes, for the acts that follow.
    pub fn keep(&mut self, button: Button) {
        self.held.kept.send_modify(|kept| *kept |= button.bit());
    }

    /// Whether a button stays down between acts.
    #[must_use]
    pub fn keeps(&self, button: Button) -> bool {
        *self.held.kept.borrow() & button.bit() != 0
    }

    /// The buttons that stay down between acts.
    #[must_use]
    pub fn kept(&self) -> Vec<Button> {
        self.held.kept()
    }

    /// What the left button drags while it stays down.
    pub fn drag(&mut self) -> &mut KeptDrag {
        &mut self.held.drag
    }

    /// What is dragged has come here, without events of the mouse.
    pub fn carry_to(&mut self, at: (i32, i32)) {
        self.held.at = Some(at);
        if let KeptDrag::Going { entered, .. } = &mut self.held.drag {
            *entered = true;
        }
    }

    /// A button is up again, however that came.
    fn up(&mut self, button: Button) {
        self.buttons &= !button.bit();
        if self.keeps(button) {
            self.held.kept.send_modify(|kept| *kept &= !button.bit());
        }
        if button == Button::Left {
            self.held.drag = KeptDrag::None;
        }
    }

    /// The person, and the source of randomness.
    pub(super) fn chance(&mut self) -> (&Person, &mut Random) {
        (&self.person, &mut self.held.random)
    }

    /// Offset from the element's centre in CSS pixels. People miss the exact centre, even when fast.
    pub fn stray(&mut self, most: f64) -> f64 {
        (self.held.random.normal() * most / 2.5).clamp(-most, most)
    }

    /// Waits after the last event as a person does; not at all at the fast pace.
    pub(super) async fn pause(&mut self, time: fn(&Person, &mut Random) -> Duration) {
        if self.pace == Pace::Human {
            let (person, random) = self.chance();
            let time = time(person, random);
            let now = Instant::now();
            let due = self.last.unwrap_or(now) + time;
            self.wait_until(if due + LATE < now { now } else { due })
                .await;
        }
    }

    /// Waits until the next event is due.
    pub(super) async fn wait_until(&mut self, due: Instant) {
        sleep_until(due).await;
        self.due = Some(due);
    }

    /// The time of the event that is sent now, if it was due before.
    pub(super) fn happens(&mut self) -> Option<Instant> {
        let due = self.due.take();
        self.last = Some(due.unwrap_or_else(Instant::now));
        due
    }

    /// Rests on the target before a press, as a person does.
    pub async fn rest(&mut self) {
        self.pause(Person::rest).await;
        if let Some(mouse) = &self.on_screen
            && !mouse.is_over_window().await
        {
            tracing::info!("another window is over the page: the press goes through DevTools");
            self.leave_screen();
        }
    }

    /// Takes a person's time to choose a file or an entry.
    pub async fn choose(&mut self) {
        // They start when they see it, not when they have clicked.
        self.last = None;
        self.pause(Person::choice).await;
    }

    /// About how long it takes to type a text; no time at the fast pace.
    #[must_use]
    pub fn typing(&self, characters: usize) -> Duration {
        match self.pace {
            Pace::Fast => Duration::ZERO,
            Pace::Human => self.person.typing(characters),
        }
    }

    /// Records that something else got the release of a button, and where: the menu of a right click, or
    /// a drag. The page learns from the next event that the button is up.
    pub fn lose(&mut self, button: Button, at: (i32, i32)) {
        self.up(button);
        self.held.at = Some(at);
    }

    /// Turns the wheel so that the page glides.
    pub(super) fn glide(&mut self, by: (i32, i32), at: (i32, i32)) -> Ack {
        let state = MouseState {
            at,
            buttons: self.buttons,
            modifiers: self.modifiers,
        };
        let due = self.happens();
        event::glide(&self.connection, &self.session, by, state, due)
    }

    /// Sends an event of the mouse.
    pub(super) fn mouse(&mut self, action: MouseAction, at: (i32, i32)) -> Ack {
        match action {
            MouseAction::Press(button, _) => self.buttons |= button.bit(),
            MouseAction::Release(button, _) => self.up(button),
            MouseAction::Move | MouseAction::Wheel(..) => {}
        }
        self.held.at = Some(at);
        if let Some(mouse) = &mut self.on_screen
            && self.modifiers == 0
        {
            match mouse.does(action, at) {
                Some(Ok(ack)) => {
                    self.happens();
                    return ack;
                }
                Some(Err(error)) => {
                    tracing::warn!(%error, "input goes through DevTools");
                    (self.screen, self.on_screen) = (None, None);
                }
                None => {}
            }
        }
        let state = MouseState {
            at,
            buttons: self.buttons,
            modifiers: self.modifiers,
        };
        let due = self.happens();
        event::mouse(&self.connection, &self.session, action, state, due)
    }

    /// A button is on its way up, so long after it was pressed.
    pub(super) fn released(&mut self, button: Button, after: Duration) {
        self.up(button);
        self.due = Some(self.last.unwrap_or_else(Instant::now) + after);
        self.happens();
    }

    /// Sends an event of the keyboard.
    pub(super) fn key(&mut self, event: KeyEvent) -> Ack {
        let due = self.happens();
        let ack = event::keyboard(&self.connection, &self.session, &event, due);
        if event.down {
            self.down.push(event);
        } else {
            self.down.retain(|down| down.info != event.info);
        }
        ack
    }
}

impl Drop for InputDevice {
    fn drop(&mut self) {
        // Cancelled in the middle: a button or key that stays down would spoil what comes next.
        for key in std::mem::take(&mut self.down).into_iter().rev() {
            let up = KeyEvent {
                down: false,
                text: String::new(),
                modifiers: 0,
                ..key
            };
            drop(event::keyboard(&self.connection, &self.session, &up, None));
        }
        if let (0, _) | (_, None) = (self.buttons, self.held.at) {
            return;
        }
        if let Some(mouse) = &mut self.on_screen {
            mouse.drops_nowhere();
        }
        for button in [Button::Left, Button::Middle, Button::Right] {
            if self.buttons & button.bit() != 0
                && !self.keeps(button)
                && let Some(at) = self.held.at
            {
                self.modifiers = 0;
                drop(self.mouse(MouseAction::Release(button, 1), at));
            }
        }
    }
}

/// Waits for the reply to an event in the middle of a gesture, but not forever.
///
/// # Errors
/// The tab or the browser is gone.
pub(super) async fn answered(ack: Ack) -> Result<(), CallError> {
    match tokio::time::timeout(UNANSWERED, ack).await {
        Ok(Err(
            error @ (CallError::SessionGone
            | CallError::Crashed
            | CallError::Closed { .. }
            | CallError::NotSent),
        )) => Err(error),
        // Refused or late: the page shows what happened.
        Ok(_) | Err(_) => Ok(()),
    }
}
