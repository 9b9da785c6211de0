//! What an act aims at.

use std::sync::Arc;

use szk_cdp::SessionId;

use super::world::World;
use crate::snapshot::Element;

/// What an act aims at.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A node that a snapshot named.
    Ref(NodeRef),
    /// An element that was found by all that is known of it, and nothing else.
    Element(Element),
    /// CSS, also through open shadow roots, or XPath. ` >> ` continues inside what the part before it found; for
    /// a frame, in its document.
    Selector(String),
    /// A point in the page's viewport, in CSS pixels.
    Point(i32, i32),
    /// A point of an element, in CSS pixels from the upper left corner of its box.
    Within(Box<Self>, (i32, i32)),
}

impl Target {
    /// The same element as a whole, whatever words of it are meant.
    #[must_use]
    pub fn whole(self) -> Self {
        match self {
            Self::Ref(node) => Self::Ref(NodeRef {
                words: None,
                ..node
            }),
            target => target,
        }
    }

    /// The element, and the point of it that is meant, if any is.
    pub(super) fn split(&self) -> (&Self, Option<(i32, i32)>) {
        match self {
            Self::Within(target, at) => (target, Some(*at)),
            target => (target, None),
        }
    }
}

/// A node of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRef {
    /// The session whose process holds the frame.
    pub session: SessionId,
    /// CDP's id of the frame.
    pub frame: String,
    /// CDP's `BackendNodeId`.
    pub backend_node_id: i64,
    /// The words of it that are meant: the pointer goes to them, and not to the middle of all.
    pub words: Option<String>,
}

/// An element that was found, for the script of snapshots: it is in the same world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundElement {
    pub(crate) session: SessionId,
    pub(crate) frame: String,
    /// The handle on the library that knows it by a number.
    pub(crate) library: Arc<str>,
    pub(crate) id: u32,
}

/// A located element: the frames around it, outermost first, and its number in the last one.
#[derive(Clone)]
pub(super) struct Located {
    pub(super) levels: Vec<Level>,
    pub(super) id: u32,
}

/// One frame on the way to an element.
#[derive(Clone)]
pub(super) struct Level {
    pub(super) world: World,
    /// The frame's element, in the world of the level above; `None` for the page itself.
    pub(super) owner: Option<u32>,
}

impl Located {
    /// The world of the element.
    pub(super) fn world(&self) -> &World {
        // It is created with the page's own level and never loses it.
        &self.levels[self.levels.len() - 1].world
    }

    /// The frame of the element.
    pub(super) fn innermost(mut self) -> Level {
        // It is created with the page's own level and never loses it.
        let last = self.levels.len() - 1;
        self.levels.swap_remove(last)
    }

    /// Another element of the same document.
    pub(super) fn sibling(&self, id: u32) -> Self {
        Self {
            levels: self.levels.clone(),
            id,
        }
    }
}
