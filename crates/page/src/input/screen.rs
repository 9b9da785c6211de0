//! The mouse of the display that shows the page, where szk has a display for itself: the browser makes its
//! events by itself, as for anybody.
//!
//! Its events bring no answer. Who needs to know whether the page has seen one asks a [`Witness`].

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use szk_screen::{Front, Screen, ScreenError};
use tokio::time::{Instant, sleep};

use super::event::{Ack, Button, MouseAction};
use super::path::Step;

/// Pixels that one notch of the wheel scrolls.
const NOTCH: i32 = 120;
/// How long the browser's menu may take to open, and to close.
const MENU: Duration = Duration::from_secs(1);
/// How often to look for it.
const LOOK: Duration = Duration::from_millis(15);

/// What the page may see of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A button going down.
    Press,
    /// A button going up, or a drop.
    Release,
    /// The wheel.
    Wheel,
}

/// Waits until the page has seen this many of them since it was asked to count, though not for ever.
pub(crate) type Witness =
    Arc<dyn Fn(Seen, u32) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> + Send + Sync>;

/// The viewport of a page: size in CSS pixels, and pixels of the screen for each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewport {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) ratio: f64,
}

/// Why the mouse of the display is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoMouse {
    #[error(transparent)]
    Screen(#[from] ScreenError),
    #[error("no window of the browser has the focus, or a menu is open")]
    NoWindow,
    #[error("the page is larger than its window")]
    Elsewhere,
}

/// The mouse over a page, for as long as it is one's own turn.
pub(super) struct ScreenMouse {
    screen: Screen,
    window: u32,
    map: Map,
    witness: Option<Witness>,
    /// What was sent since the witness counts.
    sent: [u32; 3],
    /// The page drags what is under the pressed button.
    carries: bool,
}

impl ScreenMouse {
    /// Takes the mouse, over the page in the window with the focus: it is our turn. Says where in the page the pointer is.
    pub(super) async fn take(
        screen: Screen,
        view: Viewport,
    ) -> Result<(Self, (i32, i32)), NoMouse> {
        let front = screen.front().await?.ok_or(NoMouse::NoWindow)?;
        let map = Map::of(front, view).ok_or(NoMouse::Elsewhere)?;
        let pointer = screen.pointer().await?;
        let at = map.to_page((pointer.x, pointer.y));
        let mouse = Self {
            screen,
            window: front.window,
            map,
            witness: None,
            sent: [0; 3],
            carries: false,
        };
        Ok((mouse, at))
    }

    /// From now on, answers come from this witness, who has just begun to count.
    pub(super) fn seen_by(&mut self, witness: Witness) {
        self.witness = Some(witness);
        self.sent = [0; 3];
    }

    /// Whether what the mouse does reaches the page's window.
    pub(super) async fn is_over_window(&self) -> bool {
        match self.screen.pointer().await {
            Ok(pointer) => pointer.window == self.window,
            Err(_) => false,
        }
    }

    /// Waits until the server has done what it was sent, though not for ever.
    pub(super) async fn is_done(&self) {
        // It answers in order.
        let _ = self.screen.pointer().await;
    }

    /// Moves along a path.
    pub(super) async fn walk(&self, steps: &[Step]) -> Result<(), ScreenError> {
        let steps = steps.iter().map(|(x, y, after)| {
            let (x, y) = self.map.to_screen((*x, *y));
            (x, y, *after)
        });
        self.screen.walk(steps.collect()).await
    }

    /// Does what a mouse can do; `None` for what it cannot, as turning its wheel by half a notch.
    pub(super) fn does(
        &mut self,
        action: MouseAction,
        at: (i32, i32),
    ) -> Option<Result<Ack, ScreenError>> {
        let seen = match action {
            MouseAction::Move => {
                let (x, y) = self.map.to_screen(at);
                return Some(self.screen.move_to(x, y).map(|()| Ack::now()));
            }
            MouseAction::Press(..) => Seen::Press,
            MouseAction::Release(..) => Seen::Release,
            MouseAction::Wheel(..) => Seen::Wheel,
        };
        let done = match action {
            MouseAction::Press(button, _) => self.screen.button(number(button), true),
            MouseAction::Release(button, _) => {
                self.carries = false;
                self.screen.button(number(button), false)
            }
            MouseAction::Wheel(dx, dy) => notches(dx, dy)?.into_iter().try_for_each(|notch| {
                self.screen.button(notch, true)?;
                self.screen.button(notch, false)
            }),
            MouseAction::Move => Ok(()),
        };
        Some(done.map(|()| self.told(seen)))
    }

    /// The answer to what was just sent.
    fn told(&mut self, seen: Seen) -> Ack {
        let count = &mut self.sent[seen as usize];
        *count += 1;
        match &self.witness {
            Some(witness) => Ack::Seen(witness(seen, *count)),
            None => Ack::now(),
        }
    }

    /// Lets a button go that was just pressed, so long after that; the page has seen it when the answer comes.
    pub(super) fn release_after(
        &mut self,
        time: Duration,
        button: Button,
    ) -> Result<Ack, ScreenError> {
        self.carries = false;
        self.screen.release_after(time, number(button))?;
        Ok(self.told(Seen::Release))
    }

    /// The page drags what is under the button.
    pub(super) fn carries(&mut self) {
        self.carries = true;
    }

    /// Gives up what is dragged, before its button goes up.
    pub(super) fn drops_nowhere(&mut self) {
        if std::mem::take(&mut self.carries) {
            // The button goes up in any case.
            let _ = self.screen.escape();
        }
    }

    /// Waits for the browser's menu, lets go of its button, and closes it after a while.
    pub(super) async fn close_menu(&mut self, after: Duration) -> Result<(), ScreenError> {
        let opened = self.menu_is(true).await?;
        self.screen.button(number(Button::Right), false)?;
        if opened {
            sleep(after).await;
            self.screen.escape()?;
            self.menu_is(false).await?;
        }
        Ok(())
    }

    /// Waits until the menu is open, or closed; whether it is.
    async fn menu_is(&self, open: bool) -> Result<bool, ScreenError> {
        let end = Instant::now() + MENU;
        while self.screen.has_menu().await? != open {
            if Instant::now() > end {
                return Ok(false);
            }
            sleep(LOOK).await;
        }
        Ok(true)
    }
}

/// The number of a button on a screen.
fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

/// The buttons of a wheel for one notch each way.
fn notches(dx: i32, dy: i32) -> Option<Vec<u8>> {
    let one = |by: i32, back: u8, on: u8| match by {
        0 => Some(None),
        NOTCH => Some(Some(on)),
        by if by == -NOTCH => Some(Some(back)),
        _ => None,
    };
    let both = [one(dy, 4, 5)?, one(dx, 6, 7)?];
    Some(both.into_iter().flatten().collect())
}

/// From CSS pixels of a viewport to pixels of the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Map {
    left: f64,
    top: f64,
    ratio: f64,
}

impl Map {
    /// The page lies at the bottom of its window, below the toolbar, and is as wide.
    fn of(front: Front, view: Viewport) -> Option<Self> {
        let (width, height) = (view.width * view.ratio, view.height * view.ratio);
        let (across, above) = (
            f64::from(front.width) - width,
            f64::from(front.height) - height,
        );
        // A pixel may be lost to rounding, and a border is as thick on both sides.
        let fits = view.ratio > 0.0 && (-1.5..=24.0).contains(&across) && above >= -1.5;
        fits.then(|| Self {
            left: f64::from(front.x) + (across / 2.0).round().max(0.0),
            top: f64::from(front.y) + above.round().max(0.0),
            ratio: view.ratio,
        })
    }

    /// A pixel of the screen that lies in this CSS pixel, near its middle if there are several.
    fn to_screen(self, (x, y): (i32, i32)) -> (i32, i32) {
        let at = |start: f64, css: i32| {
            let middle = ((f64::from(css) + 0.5) * self.ratio).floor();
            let first = (f64::from(css) * self.ratio).ceil();
            (start + middle.max(first)) as i32
        };
        (at(self.left, x), at(self.top, y))
    }

    fn to_page(self, (x, y): (i32, i32)) -> (i32, i32) {
        let at = |start: f64, pixel: i32| ((f64::from(pixel) - start) / self.ratio).floor() as i32;
        (at(self.left, x), at(self.top, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Front = Front {
        window: 7,
        x: 70,
        y: 50,
        width: 1480,
        height: 940,
    };

    fn view(width: f64, height: f64, ratio: f64) -> Viewport {
        Viewport {
            width,
            height,
            ratio,
        }
    }

    #[test]
    fn a_page_lies_at_the_bottom_of_its_window() {
        let map = Map::of(WINDOW, view(1480.0, 853.0, 1.0)).unwrap();
        assert_eq!(map.to_screen((0, 0)), (70, 137));
        assert_eq!(map.to_screen((620, 330)), (690, 467));
        assert_eq!(map.to_page((70, 40)), (0, -97));
        assert!(Map::of(WINDOW, view(1900.0, 853.0, 1.0)).is_none());
        assert!(Map::of(WINDOW, view(400.0, 853.0, 1.0)).is_none());
        assert!(Map::of(WINDOW, view(1480.0, 853.0, 0.0)).is_none());
    }

    #[test]
    fn every_css_pixel_is_met_at_any_zoom() {
        for ratio in [1.0, 1.25, 1.5, 2.0, 3.0] {
            let map = Map::of(WINDOW, view(1480.0 / ratio, 853.0 / ratio, ratio)).unwrap();
            for at in [(0, 0), (1, 2), (333, 97), (400, 250)] {
                assert_eq!(map.to_page(map.to_screen(at)), at, "{ratio}");
            }
        }
    }

    #[test]
    fn a_wheel_has_whole_notches() {
        assert_eq!(notches(0, 120), Some(vec![5]));
        assert_eq!(notches(-120, -120), Some(vec![4, 6]));
        assert_eq!(notches(120, 0), Some(vec![7]));
        assert_eq!(notches(0, 90), None);
        assert_eq!(notches(0, -240), None);
    }
}
