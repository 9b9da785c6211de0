//! Mouse input.

use std::time::Duration;

use szk_cdp::CallError;

use super::device::{InputDevice, answered};
use super::event::{Ack, Button, MouseAction};
use super::path::path;
use super::{Modifier, Pace, Person};

/// CSS pixels that one notch of a wheel scrolls.
const NOTCH: i32 = 120;
/// The most notches to turn one by one.
const TURNS: i32 = 60;

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
            if let Some((_, before)) = steps.split_last() {
                for (x, y, after) in before {
                    due += *after;
                    self.wait_until(due).await;
                    // Not awaited: a real mouse does not wait for the page either, so the page gets
                    // several points in one event.
                    drop(self.mouse(MouseAction::Move, (*x, *y)));
                }
                self.wait_until(due + Duration::from_millis(6)).await;
            }
        }
        self.mouse(MouseAction::Move, (x, y))
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

    /// Turns the wheel at the pointer by this many pixels, down and right if positive. A wheel turns
    /// in notches, so at a person's pace it gets no closer than that.
    ///
    /// # Errors
    /// The tab or the browser is gone.
    pub async fn wheel(&mut self, dx: i32, dy: i32) -> Result<Ack, CallError> {
        let at = self.at().unwrap_or_default();
        let turns = notches(dx).abs().max(notches(dy).abs());
        if self.pace() == Pace::Fast || turns > TURNS {
            return Ok(self.mouse(MouseAction::Wheel(dx, dy), at));
        }
        let (mut x, mut y) = (notches(dx), notches(dy));
        for _ in 1..turns {
            let (right, down) = (x.signum(), y.signum());
            (x, y) = (x - right, y - down);
            answered(self.mouse(MouseAction::Wheel(right * NOTCH, down * NOTCH), at)).await?;
            self.pause(Person::notch).await;
        }
        Ok(self.mouse(
            MouseAction::Wheel(x.signum() * NOTCH, y.signum() * NOTCH),
            at,
        ))
    }
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
    fn pixels_become_notches() {
        let told: Vec<i32> = [0, 5, -5, 120, 190, -600].map(super::notches).to_vec();
        assert_eq!(told, [0, 1, -1, 1, 2, -5]);
    }
}
