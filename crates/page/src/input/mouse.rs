//! Mouse input.

use std::time::Duration;

use szk_cdp::CallError;
use tokio::time::Instant;

use super::device::{InputDevice, answered};
use super::event::{Ack, Button, MouseAction};
use super::path::{Step, path};
use super::{Modifier, Pace, Person};

/// CSS pixels that one notch of a wheel scrolls.
const NOTCH: i32 = 120;
/// The most notches to turn one by one.
const TURNS: i32 = 60;
/// CSS pixels between two points of a straight way.
const STRIDE: f64 = 12.0;

/// How to turn the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// In one event, however far; its `wheelDelta` is that of a single notch.
    AtOnce,
    /// By notches, whose events are right in every field. The page jumps at each.
    Notches,
    /// By notches that glide, as under a real wheel. Their `wheelDelta` is 0.
    Glide,
}

impl InputDevice {
    /// Moves the pointer to a point of the page's viewport, and waits until the page has seen it
    /// there.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn move_to(&mut self, x: i32, y: i32) -> Result<(), CallError> {
        let ack = self.moving_to(x, y).await;
        answered(ack).await
    }

    /// The same, but returns the reply that shows that the page has seen the last point.
    pub async fn moving_to(&mut self, x: i32, y: i32) -> Ack {
        if self.pace() == Pace::Human {
            let from = self.at().unwrap_or_else(|| self.entrance(x));
            let steps = {
                let (person, random) = self.chance();
                path(from, (x, y), &person.clone(), random)
            };
            if self.walk_on_screen(&steps).await {
                return Ack::now();
            }
            if let Some((last, before)) = steps.split_last() {
                let due = self.walk(before).await;
                self.wait_until(due + last.2).await;
            }
        }
        self.mouse(MouseAction::Move, (x, y))
    }

    /// Moves the pointer out of the page, up to the toolbar, as a person does who is about to go elsewhere.
    /// Does nothing at the fast pace, while a button is down, or if it is not in the page.
    pub async fn leave(&mut self) {
        let (Pace::Human, Some((x, y)), true) = (self.pace(), self.at(), self.is_up()) else {
            return;
        };
        let (way, _) = self.entrance(x);
        let steps = {
            let (person, random) = self.chance();
            let above = -(random.between(8.0, 40.0) as i32);
            path((x, y), (way, above), &person.clone(), random)
        };
        if !self.walk_on_screen(&steps).await {
            self.walk(&steps).await;
        }
        self.forget_place();
    }

    /// Moves along a path; returns when the last point was due.
    async fn walk(&mut self, steps: &[Step]) -> Instant {
        let mut due = Instant::now();
        for (x, y, after) in steps {
            due += *after;
            self.wait_until(due).await;
            // Not awaited: a real mouse does not wait for the page either, so the page gets several points
            // in one event.
            drop(self.mouse(MouseAction::Move, (*x, *y)));
        }
        due
    }

    /// The way from the pointer to a point, for what is carried there without events of the mouse: a
    /// hand's path, or a straight line without times. Each point has the time after the one before it.
    pub fn way_to(&mut self, to: (i32, i32)) -> Vec<(i32, i32, Duration)> {
        let from = self.at().unwrap_or(to);
        if self.pace() == Pace::Human {
            let (person, random) = self.chance();
            return path(from, to, &person.clone(), random);
        }
        straight(from, to)
    }

    /// Moves the pointer along a straight line of points, each of which the page sees, within this time.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn glide_to(
        &mut self,
        to: (i32, i32),
        steps: u32,
        time: Duration,
    ) -> Result<(), CallError> {
        let from = self.at().unwrap_or(to);
        let began = Instant::now();
        for nth in 1..=steps.max(1) {
            let share = f64::from(nth) / f64::from(steps.max(1));
            self.wait_until(began + time.mul_f64(share)).await;
            let at = |from: i32, to: i32| from + (f64::from(to - from) * share).round() as i32;
            let point = (at(from.0, to.0), at(from.1, to.1));
            let ack = self.mouse(MouseAction::Move, point);
            answered(ack).await?;
        }
        Ok(())
    }

    /// Where a pointer on its way from the toolbar to `x` enters the page.
    fn entrance(&mut self, x: i32) -> (i32, i32) {
        let (_, random) = self.chance();
        let x = f64::from(x) + random.between(-240.0, 240.0);
        (x.max(3.0) as i32, 0)
    }

    /// Presses a button at the pointer.
    pub fn press(&mut self, button: Button, count: u32) -> Ack {
        let at = self.at().unwrap_or_default();
        self.mouse(MouseAction::Press(button, count), at)
    }

    /// Releases a button at the pointer.
    pub fn release(&mut self, button: Button, count: u32) -> Ack {
        let at = self.at().unwrap_or_default();
        self.mouse(MouseAction::Release(button, count), at)
    }

    /// Holds a button as long as a person does.
    pub async fn dwell(&mut self) {
        self.pause(Person::button).await;
    }

    /// Clicks at the pointer, `count` times in a row; returns the reply to the last event, which may
    /// be late or never come: the click may open a window or a dialog, or close the tab.
    pub async fn click(&mut self, button: Button, count: u32) -> Ack {
        self.rest().await;
        for nth in 1..count {
            drop(self.press_and_release(button, nth).await);
            self.pause(Person::between_clicks).await;
        }
        self.press_and_release(button, count).await
    }

    /// Presses a button and lets it go as soon as a person does.
    async fn press_and_release(&mut self, button: Button, count: u32) -> Ack {
        drop(self.press(button, count));
        if let Some(ack) = self.release_on_screen(button) {
            return ack;
        }
        self.dwell().await;
        self.release(button, count)
    }

    /// Holds modifiers down for what follows.
    pub async fn hold(&mut self, modifiers: &[Modifier]) {
        for modifier in modifiers {
            self.modifier(*modifier, true);
            self.pause(Person::key).await;
        }
    }

    /// Releases modifiers.
    pub async fn let_go(&mut self, modifiers: &[Modifier]) {
        for modifier in modifiers.iter().rev() {
            self.pause(Person::key).await;
            self.modifier(*modifier, false);
        }
    }

    /// Turns the wheel at the pointer by this many pixels, down and right if positive. A person's wheel
    /// turns in notches, so it gets no closer than that.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn wheel(&mut self, dx: i32, dy: i32, turn: Turn) -> Result<Ack, CallError> {
        let turns = notches(dx).abs().max(notches(dy).abs());
        if turn == Turn::AtOnce || turns > TURNS {
            return Ok(self.turn((dx, dy), turn));
        }
        let (mut x, mut y) = match self.pace() {
            Pace::Fast => (dx, dy),
            Pace::Human => (notches(dx) * NOTCH, notches(dy) * NOTCH),
        };
        loop {
            let by = (x.clamp(-NOTCH, NOTCH), y.clamp(-NOTCH, NOTCH));
            (x, y) = (x - by.0, y - by.1);
            let ack = self.turn(by, turn);
            if (x, y) == (0, 0) {
                return Ok(ack);
            }
            // Chromium ends each turn by itself; several at once would scroll what the first one did.
            answered(ack).await?;
            self.pause(Person::notch).await;
        }
    }

    fn turn(&mut self, by: (i32, i32), turn: Turn) -> Ack {
        let at = self.at().unwrap_or_default();
        match turn {
            // That of the screen has no other way.
            Turn::Glide if self.on_screen() => self.mouse(MouseAction::Wheel(by.0, by.1), at),
            Turn::Glide => self.glide(by, at),
            Turn::AtOnce | Turn::Notches => self.mouse(MouseAction::Wheel(by.0, by.1), at),
        }
    }
}

/// Points of a straight line, ending at `to`.
fn straight(from: (i32, i32), to: (i32, i32)) -> Vec<Step> {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let count = (dx.hypot(dy) / STRIDE).ceil().max(1.0);
    let at = |start: i32, way: f64, nth: f64| start + (way * nth / count).round() as i32;
    (1..=count as i32)
        .map(f64::from)
        .map(|nth| (at(from.0, dx, nth), at(from.1, dy, nth), Duration::ZERO))
        .collect()
}

/// The nearest number of whole notches; at least one, unless there is nothing to do.
fn notches(pixels: i32) -> i32 {
    let nearest = (f64::from(pixels) / f64::from(NOTCH)).round() as i32;
    if nearest == 0 {
        pixels.signum()
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::SessionId;
    use szk_cdp::testing::Script;

    use super::super::{InputDevices, Layout};
    use super::*;

    /// Where the pointer was told to go, after it was at a place in the page and left it.
    async fn left(pace: Pace) -> Vec<(i64, i64)> {
        let (connection, _events, peer) = Script::new().start();
        let held = InputDevices::default().take("T").await;
        let session = SessionId::from("page".to_owned());
        let person = Person::of(5);
        let mut device = InputDevice::new(connection, session, held, person, pace, Layout::Us);
        device.leave().await;
        assert!(peer.calls().is_empty(), "it has not been there");
        device.move_to(300, 400).await.unwrap();
        let before = peer.calls().len();
        device.leave().await;
        assert_eq!(device.at().is_none(), pace == Pace::Human);
        // In the order of the wire: whoever answers this has read what came before.
        device.move_to(300, 400).await.unwrap();
        let calls = peer.calls();
        let place = |at: usize| {
            let params = &calls[at].params;
            assert_eq!(params["type"], json!("mouseMoved"));
            let whole = |name: &str| params[name].as_f64().unwrap() as i64;
            (whole("x"), whole("y"))
        };
        (before..calls.len()).map(place).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_leaves_the_page_for_the_toolbar() {
        let places = left(Pace::Human).await;
        let out = places.iter().position(|place| place.1 < 0).unwrap();
        assert!(out > 10, "{places:?}");
        assert!(places[..out].is_sorted_by(|one, next| next.1 < one.1 + 6));
        // And comes back from there.
        assert!(places[out..].iter().any(|place| (0..40).contains(&place.1)));
        assert_eq!(places.last(), Some(&(300, 400)));
        assert_eq!(left(Pace::Fast).await, [(300, 400)]);
    }

    #[test]
    fn a_straight_line_has_many_points() {
        let line: Vec<(i32, i32)> = straight((0, 0), (30, -40))
            .into_iter()
            .map(|(x, y, _)| (x, y))
            .collect();
        assert_eq!(line, [(6, -8), (12, -16), (18, -24), (24, -32), (30, -40)]);
        assert_eq!(straight((5, 5), (5, 5)).len(), 1);
    }

    #[test]
    fn pixels_become_notches() {
        let told: Vec<i32> = [0, 5, -5, 120, 190, -600].map(notches).to_vec();
        assert_eq!(told, [0, 1, -1, 1, 2, -5]);
    }
}
