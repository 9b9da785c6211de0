//! Gets the pointer to an element: in view, not moving, and with nothing in front of it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::Done;
use szk_cdp::protocol::dom::ScrollIntoViewIfNeededParams;
use szk_cdp::protocol::page::BringToFrontParams;
use szk_cdp::protocol::runtime::RemoteObjectId;

use super::ActError;
use super::actor::Actor;
use super::frames;
use super::look::{Look, Point};
use super::screen::SEES;
use super::target::Located;
use crate::input::Pace;

/// Milliseconds an element has to become ready: a page may still be reacting to the previous act.
const PATIENCE: u32 = 1000;
/// How often to follow an element that moves away.
const TRIES: u32 = 4;

/// How long the browser may take to move the pointer.
const ARRIVES: Duration = Duration::from_secs(2);
/// Milliseconds the pointer has to arrive once the browser has acknowledged its movement.
const COMING: u32 = 150;

/// What an element must be.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wants {
    /// It must be editable.
    pub(super) editable: bool,
    /// It may be disabled.
    pub(super) any: bool,
}

/// Where to put the pointer.
#[derive(Debug, Clone)]
pub(super) struct Aim {
    /// In the page's viewport.
    pub(super) at: (i32, i32),
    /// The same point in the viewport of the element's frame.
    pub(super) local: Point,
    pub(super) look: Look,
}

#[derive(Deserialize)]
struct Under {
    name: Option<String>,
    view: super::look::Area,
    hidden: bool,
    attended: bool,
}

impl Actor<'_> {
    /// Brings an element into a state in which it can be hit, and finds the point to hit.
    pub(super) async fn aim(&mut self, located: &Located, wants: Wants) -> Result<Aim, ActError> {
        let mut look = self.attend(located).await?;
        if !fit(&look, wants) {
            look = self.ready(located, wants, false).await?;
            if let Some(why) = lacks(&look, wants) {
                return Err(not_ready(&look, why));
            }
        }
        self.did.target = Some(look.name.clone());
        if let Some(aim) = self.within_view(located, &look).await? {
            return Ok(aim);
        }
        self.bring_into_view(located).await?;
        let look = self.ready(located, wants, true).await?;
        if look.moving && !look.in_view() {
            return Err(not_ready(&look, "keeps moving"));
        }
        if let Some(aim) = self.within_view(located, &look).await? {
            return Ok(aim);
        }
        if let Some(cover) = look.cover.as_ref().filter(|_| look.through) {
            return Err(covered(&look, cover.clone()));
        }
        if let Some(aim) = self.unfold(located, wants, &look).await? {
            return Ok(aim);
        }
        // Something fixed, such as a header, may cover it at one end only.
        for block in ["center", "end", "start"] {
            located
                .world()
                .ask::<Value>("reveal", &[json!(located.id), json!(block)])
                .await?;
            let look = self.look(located).await?;
            if let Some(aim) = self.within_view(located, &look).await? {
                let look = self.ready(located, wants, true).await?;
                return Ok(Aim { look, ..aim });
            }
        }
        let cover = match look.cover.clone() {
            None => self.cover_of_frames(located, &look).await?,
            cover => cover,
        };
        Err(match cover {
            Some(cover) => covered(&look, cover),
            None => ActError::Unreachable {
                target: look.name.clone(),
            },
        })
    }

    /// Some things, such as the arrows of a number field, are there only while the pointer is over what they
    /// are in: puts it there.
    async fn unfold(
        &mut self,
        located: &Located,
        wants: Wants,
        look: &Look,
    ) -> Result<Option<Aim>, ActError> {
        let Some(point) = look.point.filter(|_| look.around) else {
            return Ok(None);
        };
        let page = frames::outwards(&located.levels, point, look).await?;
        self.take_mouse(located).await;
        self.approach();
        let (x, y) = (page.x.max(0.0) as i32, page.y.max(0.0) as i32);
        let seen = self.device.moving_to(x, y).await;
        let _ = tokio::time::timeout(ARRIVES, seen).await;
        let look = self.ready(located, wants, true).await?;
        self.within_view(located, &look).await
    }

    /// Moves the pointer to an element and checks that it is still there and not covered: pages react
    /// to pointers.
    pub(super) async fn point_at(
        &mut self,
        located: &Located,
        wants: Wants,
    ) -> Result<Aim, ActError> {
        self.exact = false;
        let mut aim = self.aim(located, wants).await?;
        self.take_mouse(located).await;
        for left in (0..TRIES).rev() {
            self.approach();
            // Nobody but the page says whether the display's mouse has come where it should.
            let asks = far(located) || self.device.on_screen();
            let moves = self.device.at() != Some(aim.at);
            if asks {
                located.world().ask::<Value>("follow", &[]).await?;
            }
            let ack = self.device.moving_to(aim.at.0, aim.at.1).await;
            // By the time the page has seen the pointer, a frame has passed.
            let _ = tokio::time::timeout(ARRIVES, ack).await;
            self.did.at = Some(aim.at);
            let local = json!({"x": aim.local.x, "y": aim.local.y});
            // The browser sends events to where it last saw a frame of another process drawn. The last
            // attempt counts in any case: a page may hide its events from us.
            let mut came = !asks
                || located
                    .world()
                    .ask::<bool>("came", &[local.clone(), json!(self.coming())])
                    .await?
                || left == 0;
            if !came && moves && self.device.on_screen() {
                tracing::info!("the page has not seen the pointer: input goes through DevTools");
                self.device.leave_screen();
            }
            came |= !moves && !far(located);
            let now: Look = located
                .world()
                .ask("watch", &[json!(located.id), local, json!(aim.look.drawn)])
                .await?;
            if !now.connected || now.other {
                return Err(ActError::Stale);
            }
            if !came {
                self.frames_drawn(located).await?;
            } else if now.stands(&aim.look)
                && !now.carried
                && now.open()
                && self.same_place(located, &aim).await?
            {
                self.aimed = Some((located.clone(), aim.clone()));
                return Ok(aim);
            }
            // Wait for one that is moving as long as for one that is not ready.
            if left > 0 && (now.carried || !now.stands(&aim.look)) {
                let look = self.ready(located, wants, false).await?;
                if look.moving && self.offset.is_none() {
                    return self.follow(located, wants, look).await;
                }
            }
            self.exact = true;
            aim = self.aim(located, wants).await?;
        }
        let look = self.look(located).await?;
        match look.cover.clone() {
            Some(cover) => Err(covered(&look, cover)),
            // It moves by fits and starts: whenever it was looked at, it stood still.
            None if self.offset.is_none() => self.follow(located, wants, look).await,
            None => Err(not_ready(&look, "keeps moving")),
        }
    }

    /// Milliseconds that the page may take to see the pointer where it was sent.
    pub(super) fn coming(&self) -> u32 {
        match self.device.on_screen() {
            true => SEES,
            false => COMING,
        }
    }

    /// Whether the frames around an element have not moved, and nothing is in front of them.
    pub(super) async fn same_place(&self, located: &Located, aim: &Aim) -> Result<bool, ActError> {
        if located.levels.len() == 1 {
            return Ok(true);
        }
        let page = frames::outwards(&located.levels, aim.local, &aim.look).await?;
        let near = (page.x - f64::from(aim.at.0)).abs() < 1.5
            && (page.y - f64::from(aim.at.1)).abs() < 1.5;
        if near {
            return Ok(self.cover_at(located, page).await?.is_none());
        }
        self.frames_drawn(located).await?;
        Ok(false)
    }

    /// Checks an element with its tab in front: a background tab has no animation frames and no focus.
    pub(super) async fn attend(&mut self, located: &Located) -> Result<Look, ActError> {
        // The state seen when it was found is valid until something is done.
        let look = match self.first_look.take() {
            Some((id, look)) if id == located.id => *look,
            _ => self.look(located).await?,
        };
        if !look.connected {
            return Err(ActError::Stale);
        }
        if look.hidden || !look.attended {
            self.bring_to_front().await?;
            return self.look(located).await;
        }
        Ok(look)
    }

    /// Makes sure that the pointer can reach a point of the page's viewport.
    pub(super) async fn point_in_page(&mut self, x: i32, y: i32) -> Result<(), ActError> {
        let page = self.scene.page().await?;
        let ask = || page.world.ask::<Under>("under", &[json!(x), json!(y)]);
        let mut under = match ask().await {
            Err(ActError::Gone) => {
                self.scene.worlds.forget_all();
                let page = self.scene.page().await?;
                page.world.ask("under", &[json!(x), json!(y)]).await?
            }
            under => under?,
        };
        if under.hidden || !under.attended {
            self.bring_to_front().await?;
            under = self
                .scene
                .page()
                .await?
                .world
                .ask("under", &[json!(x), json!(y)])
                .await?;
        }
        let (width, height) = (under.view.width as i32, under.view.height as i32);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            return Err(ActError::Outside {
                x,
                y,
                width,
                height,
            });
        }
        self.did.target = under.name;
        self.did.at = Some((x, y));
        Ok(())
    }

    async fn bring_to_front(&self) -> Result<(), ActError> {
        let scene = self.scene;
        let front = BringToFrontParams::default();
        scene.connection.run(Some(scene.session), &front).await?;
        Ok(())
    }

    pub(super) async fn ready(
        &self,
        located: &Located,
        wants: Wants,
        hit: bool,
    ) -> Result<Look, ActError> {
        let asked = json!({"editable": wants.editable, "hit": hit});
        let patience = if wants.any { json!(0) } else { json!(PATIENCE) };
        let look: Look = located
            .world()
            .ask("ready", &[json!(located.id), asked, patience])
            .await?;
        if look.connected {
            Ok(look)
        } else {
            Err(ActError::Stale)
        }
    }

    /// Where the element can be hit without scrolling, if anywhere.
    async fn within_view(
        &mut self,
        located: &Located,
        look: &Look,
    ) -> Result<Option<Aim>, ActError> {
        let aimed = match self.offset {
            Some(offset) => self.offset_in(located, look, offset).await?,
            None => look.point.filter(|_| look.open()),
        };
        let Some(mut local) = aimed else {
            return Ok(None);
        };
        if !self.exact && self.offset.is_none() && !look.mixed {
            let stray = Point {
                x: local.x + self.device.stray(look.r#box.width * 0.2),
                y: local.y + self.device.stray(look.r#box.height * 0.2),
            };
            // At the fast pace, look once the pointer is there, and move to the centre if necessary.
            let hits = match self.device.pace() {
                Pace::Fast => true,
                Pace::Human => {
                    let at = json!({"x": stray.x, "y": stray.y});
                    let there = located
                        .world()
                        .ask::<Look>("look", &[json!(located.id), at]);
                    there.await?.open()
                }
            };
            if hits {
                local = stray;
            }
        }
        let page = frames::outwards(&located.levels, local, look).await?;
        let whole = match self.offset {
            // A point that was asked for, in an element that need not begin at a whole pixel.
            Some(_) => f64::round,
            None => f64::floor,
        };
        let at = (whole(page.x).max(0.0), whole(page.y).max(0.0));
        if located.levels.len() > 1 {
            if self.cover_at(located, page).await?.is_some() {
                return Ok(None);
            }
        } else {
            // Whole pixels: the point that events will really have.
            local = Point {
                x: at.0 + 0.5,
                y: at.1 + 0.5,
            };
            if look.r#box.width < 2.0 || look.r#box.height < 2.0 {
                local = page;
            }
        }
        Ok(Some(Aim {
            at: (at.0 as i32, at.1 as i32),
            local,
            look: look.clone(),
        }))
    }

    /// Waits until the frames around an element are drawn where they are now: only then do events
    /// reach those of other processes.
    async fn frames_drawn(&self, located: &Located) -> Result<(), ActError> {
        if located.levels.len() > 1 {
            for level in &located.levels {
                level.world.ask::<Value>("frames", &[json!(3)]).await?;
            }
        }
        Ok(())
    }

    /// What covers, at a point of the page, one of the frames around an element.
    async fn cover_at(&self, located: &Located, page: Point) -> Result<Option<String>, ActError> {
        let mut at = page;
        for pair in located.levels.windows(2) {
            let Some(owner) = pair[1].owner else {
                continue;
            };
            let world = &pair[0].world;
            let here = json!({"x": at.x, "y": at.y});
            let look: Look = world.ask("look", &[json!(owner), here]).await?;
            let outside =
                at.x < 0.0 || at.y < 0.0 || at.x >= look.view.width || at.y >= look.view.height;
            if outside {
                return Ok(Some("the edge of a frame".to_owned()));
            }
            if let Some(cover) = look.cover {
                return Ok(Some(cover));
            }
            at = world
                .ask("into", &[json!(owner), json!(at.x), json!(at.y)])
                .await?;
        }
        Ok(None)
    }

    async fn cover_of_frames(
        &self,
        located: &Located,
        look: &Look,
    ) -> Result<Option<String>, ActError> {
        match look.point {
            Some(point) if located.levels.len() > 1 => {
                let page = frames::outwards(&located.levels, point, look).await?;
                self.cover_at(located, page).await
            }
            _ => Ok(None),
        }
    }

    /// Scrolls an element into view, in its frame and in those around it.
    pub(super) async fn bring_into_view(&mut self, located: &Located) -> Result<(), ActError> {
        if self.device.pace() == Pace::Human {
            self.wheel_towards(located).await?;
        }
        let handle = located.world().drawn(located.id).await?;
        let params = ScrollIntoViewIfNeededParams {
            object_id: Some(RemoteObjectId::new(handle)),
            ..ScrollIntoViewIfNeededParams::default()
        };
        let _: Done = located.world().command(&params).await?;
        self.frames_drawn(located).await
    }
}

/// Whether an element's frame, or one around it, has its own process.
fn far(located: &Located) -> bool {
    let mut sessions = located.levels.iter().map(|level| &level.world.session);
    let first = sessions.next();
    sessions.any(|session| Some(session) != first)
}

/// Whether it can be acted on, wherever it is.
fn fit(look: &Look, wants: Wants) -> bool {
    lacks(look, wants).is_none()
}

pub(super) fn lacks(look: &Look, wants: Wants) -> Option<&'static str> {
    if !look.visible {
        Some("is not visible")
    } else if !look.enabled && !wants.any {
        Some("is disabled")
    } else if wants.editable && !look.editable {
        Some("is read-only")
    } else {
        None
    }
}

/// Why a press would not reach an element, by what would get it.
fn covered(look: &Look, cover: String) -> ActError {
    let target = look.name.clone();
    match look.through {
        true => ActError::PassesThrough {
            target,
            receiver: cover,
        },
        false => ActError::Covered { target, cover },
    }
}

pub(super) fn not_ready(look: &Look, why: &str) -> ActError {
    ActError::NotReady {
        target: look.name.clone(),
        why: why.to_owned(),
    }
}
