//! The mouse in single steps: a button goes down and stays down between acts, the pointer moves, the
//! button goes up.

use std::time::Duration;

use serde_json::json;
use szk_cdp::Connection;
use szk_cdp::SessionId;
use szk_cdp::own::DispatchDragEventParams;
use szk_cdp::protocol::input::{DispatchDragEventType, SetInterceptDragsParams};

use super::ActError;
use super::actor::{Act, Actor};
use super::aim::Wants;
use super::carry::await_drop;
use super::drag::{intercepted, towards};
use super::frames;
use super::intercept::{Intercepting, Taken};
use super::look::{Look, Point};
use super::target::{Located, Target};
use crate::input::{Button, InputDevice, KeptDrag};

/// CSS pixels by which a press has to move before it is no click any more.
const BEGINS: i32 = 8;
/// CSS pixels between two points under a button that is down.
const STRIDE: f64 = 12.0;
/// Milliseconds between two points of a movement that takes a time.
const BEAT: u128 = 16;
/// Most points of one movement.
const MOST: u32 = 500;
/// How long a page that has lost the mouse may take to see it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to move the pointer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moving {
    /// From where it is, if there is no target.
    pub by: (i32, i32),
    /// In this many steps, each of which the page sees.
    pub steps: Option<u32>,
    /// Within this time.
    pub time: Option<Duration>,
}

impl Moving {
    /// How many points of a line of this length the page sees.
    fn points(self, pixels: f64, down: bool) -> Option<u32> {
        let asked = self.steps.or_else(|| {
            let time = self.time?;
            Some(u32::try_from(time.as_millis() / BEAT).unwrap_or(MOST))
        });
        let drawn = down.then_some((pixels / STRIDE).ceil() as u32);
        asked.or(drawn).map(|points| points.clamp(1, MOST))
    }
}

impl Actor<'_> {
    /// The pointer as the target of a step of the mouse that names none.
    pub(super) fn or_here(
        &self,
        act: &Act,
        target: Option<Target>,
    ) -> Result<Option<Target>, ActError> {
        let by = match act {
            Act::Down(_) | Act::Up(_) => (0, 0),
            Act::Move(moving) => moving.by,
            _ => return Ok(target),
        };
        if target.is_some() {
            return Ok(target);
        }
        let (x, y) = self.device.at().ok_or_else(|| ActError::NotReady {
            target: "the pointer".to_owned(),
            why: "has not been in the page yet: name a target".to_owned(),
        })?;
        Ok(Some(Target::Point(x + by.0, y + by.1)))
    }

    /// Releases buttons that are still down before an act that needs them.
    pub(super) async fn free_buttons(&mut self, act: &Act) -> Result<(), ActError> {
        let steps = matches!(
            act,
            Act::Down(_)
                | Act::Move(_)
                | Act::Up(_)
                | Act::Hover
                | Act::Focus
                | Act::Press(..)
                | Act::Scroll(_)
        );
        let kept = self.device.kept();
        if steps || kept.is_empty() {
            return Ok(());
        }
        self.begin();
        let_go(self.scene.connection, self.scene.session, self.device).await;
        for button in kept {
            self.say(&format!(
                "the {button} button was still down: it was released first"
            ));
        }
        Ok(())
    }

    pub(super) async fn down_on(
        &mut self,
        located: &Located,
        button: Button,
    ) -> Result<(), ActError> {
        self.point_at(located, Wants::default()).await?;
        self.down(Some(located), button).await
    }

    /// Presses a button at the pointer and leaves it down.
    pub(super) async fn down(
        &mut self,
        what: Option<&Located>,
        button: Button,
    ) -> Result<(), ActError> {
        if self.device.keeps(button) {
            return Err(ActError::Unsuited {
                target: format!("the {button} button"),
                why: "is down already: `up` releases it".to_owned(),
            });
        }
        // Chromium gives native drags to the window system, unless they are intercepted.
        let drags = match button {
            Button::Left => Some(Intercepting::begin(&self.scene, Taken::Drags).await?),
            Button::Middle | Button::Right => None,
        };
        self.begin();
        self.device.rest().await;
        // What stays down between acts must not be that of all tabs.
        self.device.leave_screen();
        self.ack = Some(self.device.press(button, 1));
        if let Some(located) = what {
            self.answered().await;
            if let Err(error) = self.landed(located).await {
                drop(self.device.release(button, 1));
                return Err(error);
            }
        }
        if let Some(drags) = drags {
            drags.leave_on();
            *self.device.drag() = KeptDrag::Possible(self.device.at().unwrap_or_default());
        }
        self.device.keep(button);
        Ok(())
    }

    pub(super) async fn move_onto(
        &mut self,
        located: &Located,
        moving: Moving,
    ) -> Result<(), ActError> {
        let free = self.device.kept().is_empty();
        if free && moving == Moving::default() {
            return self.hover(located).await;
        }
        // What is carried may cover it.
        let end = self.place_of(located).await?;
        self.watch(located).await?;
        self.did.at = Some(end);
        self.move_along(end, moving).await
    }

    /// Moves the pointer, and what it drags.
    pub(super) async fn move_along(
        &mut self,
        end: (i32, i32),
        moving: Moving,
    ) -> Result<(), ActError> {
        self.begin();
        let from = self.device.at().unwrap_or(end);
        let pixels = f64::from(end.0 - from.0).hypot(f64::from(end.1 - from.1));
        let points = moving.points(pixels, !self.device.kept().is_empty());
        let mut left = points.unwrap_or(1);
        if let KeptDrag::Possible(pressed) = *self.device.drag() {
            let step = (pixels / f64::from(left)).round() as i32;
            self.begin_drag(pressed, towards(from, end, step)).await?;
            left -= 1;
        }
        if let KeptDrag::Going { data, entered } = self.device.drag().clone() {
            self.drag_over(end, &data, entered).await?;
            self.device.carry_to(end);
            return Ok(());
        }
        match points {
            Some(_) if left == 0 => {}
            Some(_) => {
                // Each of which the page sees.
                self.device.leave_screen();
                let time = moving.time.unwrap_or_default();
                self.device.glide_to(end, left, time).await?;
            }
            None => self.device.move_to(end.0, end.1).await?,
        }
        Ok(())
    }

    /// The first step under a pressed button, which begins a native drag if the page has one.
    async fn begin_drag(&mut self, from: (i32, i32), at: (i32, i32)) -> Result<(), ActError> {
        let mut events = self.scene.connection.subscribe();
        self.device.move_to(at.0, at.1).await?;
        let far = (at.0 - from.0).abs().max((at.1 - from.1).abs()) >= BEGINS;
        match intercepted(&mut events).await {
            Some(data) => {
                let entered = false;
                *self.device.drag() = KeptDrag::Going { data, entered };
                self.say("the page's own drag and drop");
            }
            None if far => *self.device.drag() = KeptDrag::None,
            None => {}
        }
        Ok(())
    }

    pub(super) async fn up_over(
        &mut self,
        located: &Located,
        button: Button,
    ) -> Result<(), ActError> {
        let end = self.place_of(located).await?;
        self.watch(located).await?;
        self.did.at = Some(end);
        self.move_along(end, Moving::default()).await?;
        self.up(button).await
    }

    /// Releases a button at the pointer.
    pub(super) async fn up(&mut self, button: Button) -> Result<(), ActError> {
        if !self.device.keeps(button) {
            return Err(ActError::Unsuited {
                target: format!("the {button} button"),
                why: "is not down: `down` presses it".to_owned(),
            });
        }
        let at = self.device.at().unwrap_or_default();
        if let KeptDrag::Going { data, entered } = self.device.drag().clone() {
            if !entered {
                self.drag_over(at, &data, false).await?;
            }
            let page = self.scene.page().await.ok();
            if let Some(page) = &page {
                await_drop(&page.world).await;
            }
            self.drag_event(DispatchDragEventType::Drop, at, &data)
                .await?;
            self.device.lose(button, at);
            if let Some(page) = &page {
                self.say_if_refused(&page.world).await;
            }
        } else {
            self.ack = Some(self.device.release(button, 1));
        }
        if button == Button::Left {
            intercept_no_more(self.scene.connection, self.scene.session).await;
        }
        Ok(())
    }

    /// Where a point of an element is in the page's viewport, whatever is in front of it.
    pub(super) async fn place_of(&mut self, located: &Located) -> Result<(i32, i32), ActError> {
        let mut look = self.attend(located).await?;
        if !look.in_view() {
            self.bring_into_view(located).await?;
            look = self.look(located).await?;
        }
        self.did.target = Some(look.name.clone());
        let area = look.r#box;
        let local = match self.offset {
            Some((x, y)) => Point {
                x: area.x + f64::from(x),
                y: area.y + f64::from(y),
            },
            None => Point {
                x: area.x + area.width / 2.0,
                y: area.y + area.height / 2.0,
            },
        };
        let page = frames::outwards(&located.levels, local, &look).await?;
        Ok((
            page.x.round().max(0.0) as i32,
            page.y.round().max(0.0) as i32,
        ))
    }

    /// A point of an element, if the pointer can reach it there.
    pub(super) async fn offset_in(
        &self,
        located: &Located,
        look: &Look,
        (x, y): (i32, i32),
    ) -> Result<Option<Point>, ActError> {
        let area = look.r#box;
        let inside =
            (0.0..area.width).contains(&f64::from(x)) && (0.0..area.height).contains(&f64::from(y));
        if !inside {
            let size = format!("{}x{}", area.width.round(), area.height.round());
            return Err(ActError::Unsuited {
                target: look.name.clone(),
                why: format!("is {size} pixels: {x},{y} is outside of it"),
            });
        }
        let point = Point {
            x: area.x + f64::from(x),
            y: area.y + f64::from(y),
        };
        let at = json!({"x": point.x, "y": point.y});
        let there: Look = located
            .world()
            .ask("look", &[json!(located.id), at])
            .await?;
        Ok(there.open().then_some(point))
    }
}

/// Releases the buttons that acts have left down in a tab, and gives up what they drag.
pub async fn let_go(connection: &Connection, session: &SessionId, device: &mut InputDevice) {
    let at = device.at().unwrap_or_default();
    for button in device.kept() {
        if let KeptDrag::Going { data, .. } = device.drag().clone() {
            let cancel = DispatchDragEventParams {
                r#type: DispatchDragEventType::DragCancel,
                x: at.0,
                y: at.1,
                data,
            };
            let cancelled = connection.run(Some(session), &cancel);
            let _ = tokio::time::timeout(PATIENCE, cancelled).await;
        }
        let _ = tokio::time::timeout(PATIENCE, device.release(button, 1)).await;
    }
    intercept_no_more(connection, session).await;
}

/// Gives native drags back to the window system.
async fn intercept_no_more(connection: &Connection, session: &SessionId) {
    let params = SetInterceptDragsParams::new(false);
    let ended = connection.run(Some(session), &params);
    // A page that is gone intercepts nothing.
    let _ = tokio::time::timeout(PATIENCE, ended).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_points_the_page_sees() {
        let check = |steps: Option<u32>, ms: Option<u64>, down: bool, expected: Option<u32>| {
            let moving = Moving {
                steps,
                time: ms.map(Duration::from_millis),
                ..Moving::default()
            };
            assert_eq!(moving.points(120.0, down), expected, "{moving:?} {down}");
        };
        check(None, None, false, None);
        check(None, None, true, Some(10));
        check(Some(3), None, true, Some(3));
        check(None, Some(160), false, Some(10));
        check(Some(5), Some(160), false, Some(5));
        check(Some(9_000), None, false, Some(500));
        check(Some(0), Some(0), false, Some(1));
    }
}
