//! An input device that has the mouse of a screen, as long as that serves.

use szk_screen::Screen;

use super::event::{Ack, Button};
use super::path::Step;
use super::screen::{NoMouse, ScreenMouse, Viewport, Witness};
use super::{InputDevice, Pace};

impl InputDevice {
    /// At a person's pace, it takes the mouse of this screen for what that can do.
    #[must_use]
    pub fn on(mut self, screen: Option<&Screen>) -> Self {
        self.screen = screen.filter(|_| self.pace == Pace::Human).cloned();
        self
    }

    /// Whether there is a mouse of the screen that could be taken now. What began with events of DevTools goes
    /// on with them.
    pub(crate) fn wants_screen(&self) -> bool {
        self.screen.is_some()
            && self.on_screen.is_none()
            && self.is_up()
            && self.kept().is_empty()
            && self.modifiers == 0
    }

    /// Waits until no other tab uses the screen: a person does one thing at a time, with one mouse and in the
    /// window in front. Who does not get it does without its mouse.
    pub(crate) async fn take_turn(&mut self) {
        let (Some(screen), None) = (&self.screen, &self.turn) else {
            return;
        };
        match screen.turn().await {
            Ok(turn) => self.turn = Some(turn),
            Err(why) => {
                tracing::info!(%why, "input goes through DevTools");
                self.screen = None;
            }
        }
    }

    /// Takes the mouse of the screen, over the page in the window in front.
    pub(crate) async fn take_screen(&mut self, view: Viewport) -> Result<(), NoMouse> {
        // Once only: what was no use will be none in a moment.
        let Some(screen) = self.screen.take() else {
            return Ok(());
        };
        let (mouse, at) = ScreenMouse::take(screen.clone(), view).await?;
        self.is_at(at);
        (self.screen, self.on_screen) = (Some(screen), Some(mouse));
        Ok(())
    }

    /// Whether the mouse is that of the screen.
    pub(crate) fn on_screen(&self) -> bool {
        self.on_screen.is_some()
    }

    /// Who says what the page sees of the mouse of the screen, beginning now.
    pub(crate) fn seen_by(&mut self, witness: Witness) {
        if let Some(mouse) = &mut self.on_screen {
            mouse.seen_by(witness);
        }
    }

    /// Does without the mouse of the screen from now on. Ignored while a button is down.
    pub(crate) fn leave_screen(&mut self) {
        if self.is_up() {
            (self.screen, self.on_screen) = (None, None);
        }
    }

    /// Lets others use the screen until it is taken again, once its server has done all that it was sent: a press
    /// still waiting there would reach a window that they bring to the front. Ignored while a button is down.
    pub(crate) async fn give_turn(&mut self) {
        if !self.is_up() {
            return;
        }
        if let Some(mouse) = self.on_screen.take() {
            mouse.is_done().await;
        }
        self.turn = None;
    }

    /// Lets go of a button of the screen's mouse that was just pressed, as soon as a person does; the screen waits
    /// until then by itself. `None` if that was no press of the screen's mouse.
    pub(super) fn release_on_screen(&mut self, button: Button) -> Option<Ack> {
        if self.modifiers != 0 || self.on_screen.is_none() {
            return None;
        }
        let (person, random) = self.chance();
        let time = person.button(random);
        match self.on_screen.as_mut()?.release_after(time, button) {
            Ok(ack) => {
                self.released(button, time);
                Some(ack)
            }
            Err(error) => {
                tracing::warn!(%error, "input goes through DevTools");
                (self.screen, self.on_screen) = (None, None);
                None
            }
        }
    }

    /// The page drags what is under the pressed button of the screen's mouse.
    pub(crate) fn carries(&mut self) {
        if let Some(mouse) = &mut self.on_screen {
            mouse.carries();
        }
    }

    /// Closes the browser's menu, which has just got the press of the right button. `false` if that was no
    /// press of the screen's mouse.
    pub(crate) async fn close_menu(&mut self, at: (i32, i32)) -> bool {
        let Some(mut mouse) = self.on_screen.take() else {
            return false;
        };
        let (person, random) = self.chance();
        let after = person.choice(random) / 2;
        self.lose(Button::Right, at);
        match mouse.close_menu(after).await {
            Ok(()) => self.on_screen = Some(mouse),
            Err(error) => tracing::warn!(%error, "the menu of a right click may still be open"),
        }
        true
    }

    /// Moves the mouse of the screen along a path. `false` if it has none, or that has failed.
    pub(super) async fn walk_on_screen(&mut self, steps: &[Step]) -> bool {
        let Some(mouse) = &self.on_screen else {
            return false;
        };
        if let Err(error) = mouse.walk(steps).await {
            tracing::warn!(%error, "input goes through DevTools");
            (self.screen, self.on_screen) = (None, None);
            return false;
        }
        if let Some((x, y, _)) = steps.last() {
            self.is_at((*x, *y));
            self.happens();
        }
        true
    }
}
