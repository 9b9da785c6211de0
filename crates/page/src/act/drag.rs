//! Drags with the mouse alone, or things that the page has declared draggable.
//!
//! Chromium passes its native drags to the window system. Where no one operates that, the act
//! intercepts the drag and continues it with `Input.dispatchDragEvent`; the page gets the same events.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::Subscription;
use szk_cdp::own::DispatchDragEventParams;
use szk_cdp::protocol::input::{DispatchDragEventType, EventDragIntercepted};
use tokio::time::{Instant, sleep_until};

use super::ActError;
use super::actor::{Actor, Scene};
use super::aim::{Aim, Wants};
use super::carry::await_drop;
use super::intercept::{Intercepting, Taken};
use super::look::Point;
use super::target::{Located, Target};
use crate::input::Button;

/// How long Chromium may take to report a native drag.
const BEGINS: Duration = Duration::from_millis(120);

#[derive(Deserialize)]
struct Intercepted {
    data: Value,
}

/// Where a drag ends.
#[derive(Debug, Clone, PartialEq)]
pub enum DropAt {
    /// On this.
    Target(Target),
    /// This far right of and below where it began.
    By(i32, i32),
}

/// Where a drag ends, as found just before the press.
pub(super) struct End<'a> {
    target: &'a Target,
    /// The element, if the target is one as a whole.
    element: Option<Located>,
    pub(super) at: (i32, i32),
    /// How far that is beyond the place of the target.
    past: (i32, i32),
}

impl End<'_> {
    /// Whether it is in another document than this.
    pub(super) fn is_elsewhere(&self, what: &Located) -> bool {
        let element = self.element.as_ref();
        element.is_some_and(|element| !element.world().is(what.world()))
    }
}

impl Actor<'_> {
    pub(super) async fn drag(&mut self, located: &Located, to: &DropAt) -> Result<(), ActError> {
        // Check both ends before doing anything.
        if let DropAt::Target(to) = to {
            self.end_of_drag(to).await?;
        }
        self.point_at(located, Wants::default()).await?;
        self.drag_on(Some(located), to).await
    }

    pub(super) async fn drag_from_here(&mut self, to: &DropAt) -> Result<(), ActError> {
        self.drag_on(None, to).await
    }

    /// Drags from the pointer.
    async fn drag_on(&mut self, what: Option<&Located>, to: &DropAt) -> Result<(), ActError> {
        let by;
        let to = match to {
            DropAt::Target(to) => to,
            DropAt::By(dx, dy) => {
                let (x, y) = self.device.at().unwrap_or_default();
                by = Target::Point(x + dx, y + dy);
                &by
            }
        };
        let (end, target) = self.end_of_drag(to).await?;
        let past = match (what, &target) {
            (Some(what), Some((target, at))) => past_middle(what, target, *at).await,
            _ => (0, 0),
        };
        let to = End {
            target: to,
            element: target.map(|(located, _)| located),
            at: beyond(end, past),
            past,
        };
        self.carry(what, &to).await
    }

    /// Presses, moves and releases.
    async fn carry(&mut self, what: Option<&Located>, to: &End<'_>) -> Result<(), ActError> {
        let (start, target) = (self.did.at, self.did.target.clone());
        self.device.rest().await;
        if self.device.on_screen() {
            let carried = self.carry_by_hand(what, to).await;
            (self.did.at, self.did.target) = (start, target);
            return carried;
        }
        let mut events = self.scene.connection.subscribe();
        let intercepting = Intercepting::begin(&self.scene, Taken::Drags).await?;
        let carried = self.carry_on(&mut events, what, to).await;
        intercepting.end().await?;
        (self.did.at, self.did.target) = (start, target);
        carried
    }

    /// Presses the button on what is to be dragged.
    pub(super) async fn press_to_drag(&mut self, what: Option<&Located>) -> Result<(), ActError> {
        self.begin();
        self.ack = Some(self.device.press(Button::Left, 1));
        self.device.dwell().await;
        if let Some(located) = what {
            self.answered().await;
            if let Err(error) = self.landed(located).await {
                drop(self.device.release(Button::Left, 1));
                return Err(error);
            }
        }
        Ok(())
    }

    /// The end of a drag that has begun: the page may have moved things meanwhile.
    pub(super) async fn end_by_now(&mut self, to: &End<'_>) -> (i32, i32) {
        let again = match (to.target, &to.element) {
            // Only before the press it had to be what it was: pages write into what they can be dropped on.
            (Target::Element(_), Some(element)) => self.end_on(element).await.map(|aim| aim.at),
            (target, _) => self.end_of_drag(target).await.map(|(at, _)| at),
        };
        again.map_or(to.at, |again| beyond(again, to.past))
    }

    async fn carry_on(
        &mut self,
        events: &mut Subscription,
        what: Option<&Located>,
        to: &End<'_>,
    ) -> Result<(), ActError> {
        self.press_to_drag(what).await?;
        let from = self.device.at().unwrap_or(to.at);
        // A drag starts with a few pixels of movement.
        for share in [3, 8, 16] {
            let (x, y) = towards(from, to.at, share);
            self.device.move_to(x, y).await?;
        }
        let data = intercepted(events).await;
        let end = self.end_by_now(to).await;
        let Some(data) = data else {
            let near = towards(end, from, 4);
            self.device.move_to(near.0, near.1).await?;
            self.device.move_to(end.0, end.1).await?;
            self.device.dwell().await;
            self.ack = Some(self.device.release(Button::Left, 1));
            return Ok(());
        };
        self.say("the page's own drag and drop");
        if let Some(what) = what {
            await_drop(what.world()).await;
        }
        self.drag_along(end, &data).await?;
        // The drag got the release: the page sees it in `dragend`, and never as an event of the mouse.
        self.device.lose(Button::Left, end);
        self.ack = None;
        if let Some(what) = what {
            self.say_if_refused(what.world()).await;
        }
        Ok(())
    }

    /// Takes what is dragged from the pointer to the end, and drops it there.
    async fn drag_along(&mut self, end: (i32, i32), data: &Value) -> Result<(), ActError> {
        self.drag_over(end, data, false).await?;
        self.device.dwell().await;
        self.drag_event(DispatchDragEventType::Drop, end, data)
            .await
    }

    /// Takes what is dragged from the pointer to the end.
    pub(super) async fn drag_over(
        &mut self,
        end: (i32, i32),
        data: &Value,
        entered: bool,
    ) -> Result<(), ActError> {
        let way = self.device.way_to(end);
        let mut kind = match entered {
            true => DispatchDragEventType::DragOver,
            false => DispatchDragEventType::DragEnter,
        };
        let mut due = Instant::now();
        for (x, y, after) in way {
            due += after;
            sleep_until(due).await;
            self.drag_event(kind, (x, y), data).await?;
            kind = DispatchDragEventType::DragOver;
        }
        self.drag_event(kind, end, data).await
    }

    pub(super) async fn drag_event(
        &self,
        kind: DispatchDragEventType,
        at: (i32, i32),
        data: &Value,
    ) -> Result<(), ActError> {
        let params = DispatchDragEventParams {
            r#type: kind,
            x: at.0,
            y: at.1,
            data: data.clone(),
        };
        let Scene {
            connection,
            session,
            ..
        } = self.scene;
        let sent = connection.run(Some(session), &params);
        // A page may be busy with what it does on the way.
        match tokio::time::timeout(Duration::from_secs(2), sent).await {
            Ok(sent) => Ok(sent?),
            Err(_) => Ok(()),
        }
    }

    /// The place where a drag ends; of an element as a whole also the element, and the same place in its frame.
    async fn end_of_drag(
        &mut self,
        to: &Target,
    ) -> Result<((i32, i32), Option<(Located, Point)>), ActError> {
        match to {
            Target::Point(x, y) => Ok(((*x, *y), None)),
            Target::Within(_, offset) => {
                let (located, _) = self.scene.locate(to).await?;
                let (target, before) = (self.did.target.take(), self.offset.replace(*offset));
                let place = self.place_of(&located).await;
                (self.did.target, self.offset) = (target, before);
                Ok((place?, None))
            }
            to => {
                let (located, _) = self.scene.locate(to).await?;
                let aim = self.end_on(&located).await?;
                Ok((aim.at, Some((located, aim.local))))
            }
        }
    }

    /// Where on an element a drag ends.
    async fn end_on(&mut self, located: &Located) -> Result<Aim, ActError> {
        let before = self.offset.take();
        let wants = Wants {
            any: true,
            ..Wants::default()
        };
        let target = self.did.target.take();
        let aim = self.aim(located, wants).await;
        (self.did.target, self.offset) = (target, before);
        aim
    }
}

/// How far beyond a place of a target the drag ends, so that one entry of a list gets the place of another;
/// nothing for other targets, and where it cannot be told.
async fn past_middle(what: &Located, target: &Located, at: Point) -> (i32, i32) {
    if !target.world().is(what.world()) {
        return (0, 0);
    }
    let asked = [
        json!(what.id),
        json!(target.id),
        json!({"x": at.x, "y": at.y}),
    ];
    let past: Result<(f64, f64), ActError> = what.world().ask("past", &asked).await;
    past.map_or((0, 0), |(x, y)| (x as i32, y as i32))
}

/// Whether Chromium has started a native drag, and with what data.
pub(super) async fn intercepted(events: &mut Subscription) -> Option<Value> {
    let told = async {
        loop {
            match events.recv().await {
                Ok(event) if event.method == EventDragIntercepted::IDENTIFIER => {
                    return event.read::<Intercepted>().ok().map(|told| told.data);
                }
                Ok(_) | Err(szk_cdp::SubscriptionError::Lagged(_)) => {}
                Err(szk_cdp::SubscriptionError::Closed) => return None,
            }
        }
    };
    tokio::time::timeout(BEGINS, told).await.ok().flatten()
}

/// A place so much further.
fn beyond((x, y): (i32, i32), past: (i32, i32)) -> (i32, i32) {
    (x + past.0, y + past.1)
}

/// A point a few pixels from one place towards another.
pub(super) fn towards(from: (i32, i32), to: (i32, i32), pixels: i32) -> (i32, i32) {
    let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
    let distance = dx.hypot(dy).max(1.0);
    let share = (f64::from(pixels) / distance).min(1.0);
    (
        from.0 + (dx * share).round() as i32,
        from.1 + (dy * share).round() as i32,
    )
}

#[cfg(test)]
mod tests {
    use super::towards;

    #[test]
    fn a_few_pixels_of_the_way() {
        assert_eq!(towards((0, 0), (100, 0), 8), (8, 0));
        assert_eq!(towards((0, 0), (3, 4), 100), (3, 4));
        assert_eq!(towards((5, 5), (5, 5), 8), (5, 5));
    }
}
