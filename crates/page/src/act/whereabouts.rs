//! Where an element is in the page, for read-only callers.

use super::ActError;
use super::actor::Scene;
use super::frames::outwards;
use super::look::{Look, Point};
use super::target::{FoundElement, Located, NodeRef, Target};

/// A rectangle in the page's viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rect {
    /// Distance from the left.
    pub x: f64,
    /// Distance from the top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Scene<'_> {
    /// The only element that a target describes.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn found(&self, target: &Target) -> Result<FoundElement, ActError> {
        let (located, _) = self.locate(target).await?;
        Ok(located.world().found(located.id))
    }

    /// The topmost node at a point of the viewport, if there is one.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn node_at(&self, x: i32, y: i32) -> Result<Option<NodeRef>, ActError> {
        match self.struck_at(x, y).await {
            // The document that was known is gone.
            Err(ActError::Gone) => {
                self.worlds.forget_all();
                self.struck_at(x, y).await
            }
            found => found,
        }
    }

    async fn struck_at(&self, x: i32, y: i32) -> Result<Option<NodeRef>, ActError> {
        let world = self.page().await?.world;
        let struck: Option<u32> = world.ask("struck_at", &[x.into(), y.into()]).await?;
        match struck {
            Some(id) => world.node(id).await.map(Some),
            None => Ok(None),
        }
    }

    /// The width and the height of the only element that a target describes, in CSS pixels of its frame.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn size(&self, target: &Target) -> Result<(u32, u32), ActError> {
        let area = self.look_at(target).await?.1.r#box;
        Ok((area.width.round() as u32, area.height.round() as u32))
    }

    /// The only element that a target describes, and its state.
    async fn look_at(&self, target: &Target) -> Result<(Located, Look), ActError> {
        let (located, look) = self.locate(target).await?;
        let look: Look = match look {
            Some(look) => look,
            None => {
                located
                    .world()
                    .ask("look", &[located.id.into(), ().into()])
                    .await?
            }
        };
        match look.connected {
            true => Ok((located, look)),
            false => Err(ActError::Stale),
        }
    }

    /// The box of the only element that a target describes; without a size if it is invisible. For an
    /// element in a frame, only the part that the frame shows.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn rect(&self, target: &Target) -> Result<Rect, ActError> {
        let (located, look) = self.look_at(target).await?;
        let (mut left, mut top) = (look.r#box.x, look.r#box.y);
        let (mut right, mut bottom) = (left + look.r#box.width, top + look.r#box.height);
        if located.levels.len() > 1 {
            (left, top) = (left.max(0.0), top.max(0.0));
            (right, bottom) = (right.min(look.view.width), bottom.min(look.view.height));
        }
        if !look.visible || right <= left || bottom <= top {
            return Ok(Rect::default());
        }
        let from = outwards(&located.levels, Point { x: left, y: top }, &look).await?;
        let to = Point {
            x: right,
            y: bottom,
        };
        let to = outwards(&located.levels, to, &look).await?;
        Ok(Rect {
            x: from.x.min(to.x),
            y: from.y.min(to.y),
            width: (to.x - from.x).abs(),
            height: (to.y - from.y).abs(),
        })
    }
}
