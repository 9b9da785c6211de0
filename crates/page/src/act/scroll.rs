//! Scrolls with the wheel.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ActError;
use super::actor::Actor;
use super::aim::Wants;
use super::look::{Area, Look};
use super::target::Located;
use crate::input::{Pace, Turn};

/// Milliseconds that scrolling may continue on its own.
const GLIDE: u32 = 1500;
/// Milliseconds after which scrolling that has not started will not.
const BEGINS: u32 = 1500;
/// Turns of the wheel towards an element before it is simply brought into view.
const TURNS: u32 = 25;

/// How to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    /// This many pixels, right and down if positive.
    By(i32, i32),
    /// To the top.
    Top,
    /// To the bottom.
    Bottom,
    /// Until the target is in view.
    IntoView,
}

/// How far a scrolling area is from its ends.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
struct Position {
    x: f64,
    y: f64,
    right: f64,
    down: f64,
}

impl Position {
    /// Whether there is room to scroll in that direction.
    fn has_room(&self, dx: i32, dy: i32) -> bool {
        let room = |way: i32, back: f64, on: f64| match way.signum() {
            1 => on >= 1.0,
            -1 => back >= 1.0,
            _ => false,
        };
        room(dx, self.x, self.right) || room(dy, self.y, self.down)
    }
}

impl Actor<'_> {
    pub(super) async fn scroll(
        &mut self,
        located: Option<Located>,
        scroll: Scroll,
    ) -> Result<(), ActError> {
        let located = match (located, scroll) {
            (Some(located), Scroll::IntoView) => {
                let look = self.attend(&located).await?;
                self.did.target = Some(look.name.clone());
                self.watch(&located).await?;
                if look.open() && located.levels.len() == 1 && inside(&look) {
                    self.did.already = true;
                    return Ok(());
                }
                self.begin();
                self.bring_into_view(&located).await?;
                let _: Position = self.still(&located, true).await?;
                let look = self.look(&located).await?;
                if look.connected && located.levels.len() == 1 && !look.in_view() {
                    return Err(ActError::NotReady {
                        target: look.name,
                        why: "did not come into view".to_owned(),
                    });
                }
                return Ok(());
            }
            (Some(located), _) => {
                let wants = Wants {
                    any: true,
                    ..Wants::default()
                };
                self.point_at(&located, wants).await?;
                return self.turn(&located, true, scroll).await;
            }
            (None, _) => {
                // Somewhere in the middle: a wheel scrolls what is under the pointer.
                let page = self.scene.page().await?;
                let view: Area = match page.world.ask("size_of_view", &[]).await {
                    Err(ActError::Gone) => {
                        self.scene.worlds.forget_all();
                        let page = self.scene.page().await?;
                        page.world.ask("size_of_view", &[]).await?
                    }
                    view => view?,
                };
                let middle = ((view.width / 2.0) as i32, (view.height / 2.0) as i32);
                self.point_in_page(middle.0, middle.1).await?;
                self.did.target = None;
                let page = self.scene.page().await?;
                page.world.ask::<Value>("watch", &[Value::Null]).await?;
                self.begin();
                self.come_to(middle.0, middle.1).await?;
                Located {
                    levels: vec![page],
                    id: 0,
                }
            }
        };
        self.located = Some(located.clone());
        self.turn(&located, false, scroll).await
    }

    /// Turns the wheel at the pointer, over whatever scrolls there.
    pub(super) async fn scroll_here(&mut self, scroll: Scroll) -> Result<(), ActError> {
        let Some(page) = self.located.clone() else {
            return Ok(());
        };
        let under: Option<u32> = match self.device.at() {
            Some((x, y)) => page.world().ask("struck_at", &[json!(x), json!(y)]).await?,
            None => None,
        };
        match under {
            Some(id) => self.turn(&page.sibling(id), true, scroll).await,
            None => self.turn(&page, false, scroll).await,
        }
    }

    async fn turn(
        &mut self,
        located: &Located,
        element: bool,
        scroll: Scroll,
    ) -> Result<(), ActError> {
        let before: Position = self.position(located, element).await?;
        let (dx, dy) = match scroll {
            Scroll::By(dx, dy) => (dx, dy),
            Scroll::Top => (0, -(before.y.ceil() as i32)),
            Scroll::Bottom => (0, before.down.ceil() as i32),
            Scroll::IntoView => (0, 0),
        };
        if (dx, dy) == (0, 0) {
            self.did.already = true;
            return Ok(());
        }
        self.begin();
        let turn = self.turning(located).await;
        let ack = self.device.wheel(dx, dy, turn).await?;
        self.ack = Some(ack);
        self.answered().await;
        let mut after = self.still(located, element).await?;
        if (after.x, after.y) == (before.x, before.y) && before.has_room(dx, dy) {
            self.moves(located, element, before).await?;
            after = self.still(located, element).await?;
        }
        // The page may have grown while it scrolled, moving its bottom further down.
        for _ in 0..5 {
            let left = match scroll {
                Scroll::Bottom => after.down.ceil() as i32,
                Scroll::Top => -(after.y.ceil() as i32),
                _ => 0,
            };
            if left == 0 {
                break;
            }
            self.ack = Some(self.device.wheel(0, left, turn).await?);
            self.answered().await;
            let now = self.still(located, element).await?;
            if now.y == after.y {
                break;
            }
            after = now;
        }
        let moved = (after.x - before.x, after.y - before.y);
        if moved == (0.0, 0.0) && before.has_room(dx, dy) {
            if !located.world().ask::<bool>("wheeled", &[]).await? {
                let target = self.did.target.clone();
                return Err(ActError::Unmoved {
                    target: target.unwrap_or_else(|| "the page".to_owned()),
                });
            }
            let note = "nothing scrolled: the page uses the wheel for something else";
            self.did.notes.push(note.to_owned());
            return Ok(());
        }
        self.did.notes.push(match moved {
            (0.0, 0.0) => "nothing scrolled: it is at its end".to_owned(),
            (x, y) => format!(
                "scrolled by {},{}; {} px are left below, {} above",
                x.round(),
                y.round(),
                after.down.max(0.0).round(),
                after.y.round()
            ),
        });
        Ok(())
    }

    /// Turns the wheel until an element is in view, as far as possible.
    pub(super) async fn wheel_towards(&mut self, located: &Located) -> Result<(), ActError> {
        if located.levels.len() > 1 {
            return Ok(());
        }
        self.take_mouse(located).await;
        let turn = self.turning(located).await;
        for _ in 0..TURNS {
            let look = self.look(located).await?;
            let (top, height) = (look.r#box.y, look.view.height);
            let middle = top + look.r#box.height / 2.0;
            if inside(&look) && middle > height * 0.1 && middle < height * 0.9 {
                return Ok(());
            }
            let before = self.position(located, false).await?;
            if !self.device.is_within(look.view.width, height) {
                let x = (look.view.width / 2.0) as i32;
                self.device.move_to(x, (height / 2.0) as i32).await?;
            }
            let far = (middle - height / 2.0).clamp(-480.0, 480.0);
            let notches = ((far / 120.0).round() as i32).clamp(-4, 4);
            if notches == 0 {
                return Ok(());
            }
            self.ack = Some(self.device.wheel(0, notches * 120, turn).await?);
            self.answered().await;
            if self.still(located, false).await? == before {
                return Ok(());
            }
        }
        Ok(())
    }

    /// How to turn the wheel so that the page sees least of it. There is no way to have both the right
    /// fields and a page that glides: fields count where anything listens to the wheel.
    async fn turning(&self, located: &Located) -> Turn {
        // Those of the display's mouse are right, and glide.
        if located.levels.len() > 1 || self.device.on_screen() {
            return Turn::Notches;
        }
        let (x, y) = self.device.at().unwrap_or_default();
        let world = located.world();
        let (framed, heard) = tokio::join!(
            world.ask("framed", &[json!(x), json!(y)]),
            world.hears_wheel()
        );
        match (framed, heard, self.device.pace()) {
            (Ok(false), Ok(false), Pace::Human) => Turn::Glide,
            (Ok(false), Ok(false), Pace::Fast) => Turn::AtOnce,
            _ => Turn::Notches,
        }
    }

    async fn position(&self, located: &Located, element: bool) -> Result<Position, ActError> {
        let id = scrollee(located, element);
        located.world().ask("scrolled", &[id]).await
    }

    /// Waits until the position changes, or the page has used the wheel for something else.
    async fn moves(
        &self,
        located: &Located,
        element: bool,
        from: Position,
    ) -> Result<(), ActError> {
        let asked = [scrollee(located, element), json!(from), json!(BEGINS)];
        located
            .world()
            .ask::<Value>("moves", &asked)
            .await
            .map(drop)
    }

    /// The position once it stops changing.
    async fn still(&self, located: &Located, element: bool) -> Result<Position, ActError> {
        let asked = [scrollee(located, element), json!(GLIDE)];
        located.world().ask("still", &asked).await
    }
}

/// What scrolls: the area around an element, or the page.
fn scrollee(located: &Located, element: bool) -> Value {
    match element {
        true => json!(located.id),
        false => Value::Null,
    }
}

/// Whether all of it is in view, or as much as fits.
fn inside(look: &Look) -> bool {
    let (b, view) = (look.r#box, look.view);
    let fits = |at: f64, size: f64, room: f64| {
        (at >= -0.5 && at + size <= room + 0.5) || (at <= 0.0 && at + size >= room)
    };
    fits(b.x, b.width, view.width) && fits(b.y, b.height, view.height)
}
