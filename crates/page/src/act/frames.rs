//! Frames: which is in which, and where in the page's viewport.

use szk_cdp::SessionId;
use szk_cdp::frames::FrameTree;
use szk_cdp::protocol::dom::GetFrameOwnerParams;

use super::ActError;
use super::actor::Scene;
use super::look::{Look, Point};
use super::target::Level;
use crate::dom::{self, Boxes, Described, FrameOwner};

/// Frames within frames that are followed.
const DEEPEST: usize = 32;

impl Scene<'_> {
    /// The page itself, as the first level.
    pub(super) async fn page(&self) -> Result<Level, ActError> {
        Ok(Level {
            world: self
                .worlds
                .of(self.connection, self.session, self.target_id)
                .await?,
            owner: None,
        })
    }

    /// The frame whose element is `id` in `level`.
    pub(super) async fn inside(&self, level: &Level, id: u32) -> Result<Option<Level>, ActError> {
        let handle = level.world.handle(id).await?;
        let described: Described = level.world.command(&dom::describe(&handle)).await?;
        let Some(frame) = described.node.frame_id else {
            return Ok(None);
        };
        // A frame with its own process has its own session.
        let session = (self.sessions)(&frame).unwrap_or_else(|| level.world.session.clone());
        Ok(Some(Level {
            world: self.worlds.of(self.connection, &session, &frame).await?,
            owner: Some(id),
        }))
    }

    /// The levels down to a frame with a known id.
    pub(super) async fn down_to(
        &self,
        session: &SessionId,
        frame: &str,
    ) -> Result<Vec<Level>, ActError> {
        let mut way = vec![(session.clone(), frame.to_owned())];
        while let Some((session, frame)) = way.last().cloned() {
            if frame == self.target_id {
                break;
            }
            if way.len() > DEEPEST {
                return Err(ActError::Stale);
            }
            let tree = FrameTree::of(self.connection, &session).await?;
            let parent = tree.parent_of(&frame).ok_or(ActError::Stale)?;
            let session = self.session_of(&session, parent).await?;
            way.push((session, parent.to_owned()));
        }
        way.reverse();
        let mut levels = vec![self.page().await?];
        for (session, frame) in way.into_iter().skip(1) {
            let above = levels.last().ok_or(ActError::Stale)?;
            let owner: FrameOwner = above
                .world
                .command(&GetFrameOwnerParams::new(frame.clone()))
                .await?;
            let owner = above.world.adopt(owner.backend_node_id, None).await?;
            levels.push(Level {
                world: self.worlds.of(self.connection, &session, &frame).await?,
                owner: Some(owner),
            });
        }
        Ok(levels)
    }

    /// The session that contains a frame; `child` is the session of a frame inside it.
    async fn session_of(&self, child: &SessionId, frame: &str) -> Result<SessionId, ActError> {
        if frame == self.target_id {
            return Ok(self.session.clone());
        }
        if let Some(session) = (self.sessions)(frame) {
            return Ok(session);
        }
        for session in [child, self.session] {
            if FrameTree::of(self.connection, session)
                .await?
                .contains(frame)
            {
                return Ok(session.clone());
            }
        }
        for session in (self.frames)() {
            // Some belong to other tabs; one that goes away meanwhile is not ours.
            if let Ok(tree) = FrameTree::of(self.connection, &session).await
                && tree.contains(frame)
            {
                return Ok(session);
            }
        }
        Err(ActError::Stale)
    }
}

/// Where a point of the innermost frame is in the page's viewport and in that of each frame on the
/// way, outermost first. `view` is the innermost frame's viewport.
///
/// The boxes come from the browser: they include transforms, and are relative to the outermost frame
/// of the same process.
pub(super) async fn outwards(
    levels: &[Level],
    point: Point,
    view: &Look,
) -> Result<Point, ActError> {
    let mut at = point;
    let mut size = (view.view.width, view.view.height);
    let mut index = levels.len() - 1;
    while index > 0 {
        let (above, level) = (&levels[index - 1], &levels[index]);
        let owner = level.owner.ok_or(ActError::Stale)?;
        let handle = above.world.handle(owner).await?;
        let boxes: Boxes = above.world.command(&dom::box_of(handle)).await?;
        at = onto(boxes.content(), at, size).ok_or(ActError::Stale)?;
        // Now counted from the outermost frame of that process: the next box is that frame's.
        let session = &above.world.session;
        index -= 1;
        while index > 0 && levels[index - 1].world.session == *session {
            index -= 1;
        }
        if index > 0 {
            let view: super::look::Area = levels[index].world.ask("size_of_view", &[]).await?;
            size = (view.width, view.height);
        }
    }
    Ok(at)
}

/// Maps a point of a rectangle of this size onto the four corners it was transformed to.
fn onto(quad: &[f64], at: Point, (width, height): (f64, f64)) -> Option<Point> {
    let [x1, y1, x2, y2, _, _, x4, y4] = *quad else {
        return None;
    };
    let (across, down) = (at.x / width.max(1.0), at.y / height.max(1.0));
    Some(Point {
        x: x1 + (x2 - x1) * across + (x4 - x1) * down,
        y: y1 + (y2 - y1) * across + (y4 - y1) * down,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_follow_their_frame() {
        let quad = [100.0, 50.0, 300.0, 50.0, 300.0, 150.0, 100.0, 150.0];
        let at = Point { x: 200.0, y: 100.0 };
        // Drawn at half its own size.
        let found = onto(&quad, at, (400.0, 200.0)).unwrap();
        assert_eq!(found, Point { x: 200.0, y: 100.0 });
        // Rotated by 90 degrees.
        let quad = [100.0, 0.0, 100.0, 200.0, 0.0, 200.0, 0.0, 0.0];
        let found = onto(&quad, Point { x: 20.0, y: 10.0 }, (200.0, 100.0)).unwrap();
        assert_eq!(found, Point { x: 90.0, y: 20.0 });
    }
}
