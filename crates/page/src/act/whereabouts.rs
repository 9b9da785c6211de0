//! Where an element is in the page, for read-only callers.

use super::ActError;
use super::actor::Scene;
use super::frames::outwards;
use super::look::{Look, Point};
use super::target::{NodeRef, Target};
use crate::dom::{self, Described};

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
    /// The node of the only element that a target describes.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn node(&self, target: &Target) -> Result<NodeRef, ActError> {
        if let Target::Ref(node) = target {
            return Ok(node.clone());
        }
        let (located, _) = self.locate(target).await?;
        let world = located.world();
        let handle = world.handle(located.id).await?;
        let described: Described = world.command(&dom::describe(&handle)).await?;
        Ok(NodeRef {
            session: world.session.clone(),
            frame: world.frame.clone(),
            backend_node_id: described.node.backend_node_id,
            words: None,
        })
    }

    /// The box of the only element that a target describes; without a size if it is invisible. For an
    /// element in a frame, only the part that the frame shows.
    ///
    /// # Errors
    /// [`ActError`].
    pub async fn rect(&self, target: &Target) -> Result<Rect, ActError> {
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
        if !look.connected {
            return Err(ActError::Stale);
        }
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
