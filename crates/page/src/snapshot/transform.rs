//! Where a frame is in its tab's viewport.

use std::collections::BTreeSet;

use szk_cdp::SessionId;
use szk_cdp::protocol::dom::{BackendNodeId, GetBoxModelParams, GetFrameOwnerParams};

use super::error::ReadError;
use super::gather::Worlds;
use crate::dom::{Boxes, FrameOwner};
use crate::page::Page;

/// Levels of nested processes.
const DEEPEST: usize = 12;

/// Where a frame's own page begins, and how large one of its pixels is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Transform {
    at: [f64; 2],
    scale: [f64; 2],
}

impl Transform {
    /// That of the tab itself.
    pub(super) const IDENTITY: Self = Self {
        at: [0.0, 0.0],
        scale: [1.0, 1.0],
    };

    /// As the script reports it: position and scale.
    pub(super) fn reported([x, y, across, down]: [f64; 4]) -> Self {
        Self {
            at: [x, y],
            scale: [across, down],
        }
    }

    /// A box of the frame, in pixels of the surrounding document.
    pub(super) fn of(self, bounds: [i32; 4]) -> [i32; 4] {
        let pixels = bounds.map(f64::from);
        let side = |at: usize| pixels[at] * self.scale[at % 2];
        [self.at[0] + side(0), self.at[1] + side(1), side(2), side(3)]
            .map(|pixels| pixels.round() as i32)
    }

    /// This place, if its container has a place of its own.
    fn within(self, outer: Self) -> Self {
        let along = |at: usize| outer.at[at] + self.at[at] * outer.scale[at];
        Self {
            at: [along(0), along(1)],
            scale: [
                self.scale[0] * outer.scale[0],
                self.scale[1] * outer.scale[1],
            ],
        }
    }

    /// From the four corners that a frame of this size was transformed to.
    fn on(corners: &[f64], size: [f64; 2]) -> Option<Self> {
        let [x, y, right, right_y, _, _, left, left_y] = corners.try_into().ok()?;
        let share = |length: f64, of: f64| if of > 0.0 { length / of } else { 1.0 };
        Some(Self {
            at: [x, y],
            scale: [
                share((right - x).hypot(right_y - y), size[0]),
                share((left - x).hypot(left_y - y), size[1]),
            ],
        })
    }
}

/// The place of a frame, whose own world is known, in the tab's viewport. The browser's boxes are
/// relative to the outermost frame of the same process, so it takes one step per process.
pub(super) async fn of_frame(
    page: &Page,
    worlds: &Worlds,
    frame: &str,
    session: &SessionId,
) -> Result<Transform, ReadError> {
    let (mut frame, mut session) = (frame.to_owned(), session.clone());
    let mut place = Transform::IDENTITY;
    for _ in 0..DEEPEST {
        if frame == page.frame {
            break;
        }
        let Some((above, owner)) = owner(page, worlds, &frame, &session).await else {
            break;
        };
        let asked = GetBoxModelParams {
            backend_node_id: Some(BackendNodeId::new(owner.backend_node_id)),
            ..GetBoxModelParams::default()
        };
        let boxes: Boxes = page.connection.ask(Some(&above), &asked).await?;
        let size: [f64; 2] = match worlds.in_frame(&frame) {
            Some(world) => {
                let function = "function () { return this.view(); }";
                world.call(function, &[]).await?
            }
            None => [0.0, 0.0],
        };
        if let Some(step) = Transform::on(boxes.content(), size) {
            place = place.within(step);
        }
        if above == page.session {
            break;
        }
        let Some(outermost) = worlds.outermost(page, &above) else {
            break;
        };
        (frame, session) = (outermost, above);
    }
    Ok(place)
}

/// The element that holds a frame, from the session that knows it: the frame's own if it has no
/// process of its own, or another one.
async fn owner(
    page: &Page,
    worlds: &Worlds,
    frame: &str,
    session: &SessionId,
) -> Option<(SessionId, FrameOwner)> {
    let others: BTreeSet<SessionId> = worlds.sessions().chain([page.session.clone()]).collect();
    let others = others.into_iter().filter(|other| other != session);
    for session in [session.clone()].into_iter().chain(others) {
        let asked = GetFrameOwnerParams::new(frame.to_owned());
        let owner = page.connection.ask(Some(&session), &asked).await;
        if let Ok(owner) = owner {
            return Some((session, owner));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_move_and_shrink_with_their_frames() {
        let outer = Transform::reported([10.0, 20.0, 0.5, 0.5]);
        let inner = Transform::on(
            &[4.0, 6.0, 104.0, 6.0, 104.0, 56.0, 4.0, 56.0],
            [50.0, 50.0],
        );
        let place = inner.unwrap().within(outer);
        assert_eq!(place, Transform::reported([12.0, 23.0, 1.0, 0.5]));
        assert_eq!(place.of([10, 10, 20, 20]), [22, 28, 20, 10]);
        assert_eq!(Transform::IDENTITY.of([1, 2, 3, 4]), [1, 2, 3, 4]);
    }
}
