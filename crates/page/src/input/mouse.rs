//! Mouse input.

use std::time::Duration;

use szk_cdp::CallError;

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
            let mut due = tokio::time::Instant::now();
            if let Some((last, before)) = steps.split_last() {
                for (x, y, after) in before {
                    due += *after;
                    self.wait_until(due).await;
                    // Not awaited: a real mouse does not wait for the page either, so the page gets
                    // several points in one event.
                    drop(self.mouse(MouseAction::Move, (*x, *y)));
                }
                self.wait_until(due + last.2).await;
            }
        }
        self.mouse(MouseAction::Move, (x, y))
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
        let began = tokio::time::Instant::now();
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
            drop(self.press(button, nth));
            self.dwell().await;
            drop(self.release(button, nth));
            self.pause(Person::between_clicks).await;
        }
        drop(self.press(button, count));
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
    #[test]
    fn a_straight_line_has_many_points() {
        let line: Vec<(i32, i32)> = super::straight((0, 0), (30, -40))
            .into_iter()
            .map(|(x, y, _)| (x, y))
            .collect();
        assert_eq!(line, [(6, -8), (12, -16), (18, -24), (24, -32), (30, -40)]);
        assert_eq!(super::straight((5, 5), (5, 5)).len(), 1);
    }

    #[test]
    fn pixels_become_notches() {
        let told: Vec<i32> = [0, 5, -5, 120, 190, -600].map(super::notches).to_vec();
        assert_eq!(told, [0, 1, -1, 1, 2, -5]);
    }
}
