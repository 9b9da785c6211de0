//! The state of an element at one moment, as `library/questions.js` reports it.

use serde::Deserialize;

/// A point in a frame's viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A box in a frame's viewport.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The state of an element.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    /// Still in its document. Everything else is only set if it is.
    pub(super) connected: bool,
    /// It is not what it was when it was found, which makes it another for who must be sure of it.
    pub(super) other: bool,
    pub(super) visible: bool,
    pub(super) enabled: bool,
    /// `text`, `editable`, `select`, the type of another input, or `other`.
    pub(super) sort: String,
    /// `HTMLInputElement.type` and the like.
    pub(super) kind: String,
    pub(super) editable: bool,
    /// A field for several files or choices.
    pub(super) multiple: bool,
    pub(super) checked: Option<bool>,
    /// It is neither checked nor not.
    pub(super) partly: bool,
    /// Its name in messages.
    pub(super) name: String,
    pub(super) empty: bool,
    pub(super) focused: bool,
    /// It is a frame's element.
    pub(super) frame: bool,
    /// The tab is in the background.
    pub(super) hidden: bool,
    /// The document has the keyboard's focus.
    pub(super) attended: bool,
    pub(super) r#box: Area,
    pub(super) view: Area,
    /// Where it can be hit; `None` if no part of it is in view.
    pub(super) point: Option<Point>,
    /// It holds others that work: a point beside this one may be theirs.
    pub(super) mixed: bool,
    /// What is there instead.
    pub(super) cover: Option<String>,
    /// It lets the pointer through.
    pub(super) through: bool,
    /// That is something around it: it may be drawn only while the pointer is there.
    pub(super) around: bool,
    /// It was elsewhere one frame ago.
    pub(super) moving: bool,
    /// An animation that ends soon is moving it.
    pub(super) carried: bool,
    /// The time of the frame in which this was observed.
    pub(super) drawn: f64,
}

/// What the press of an act really hit.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Press {
    /// It hit the intended element.
    pub(super) hit: bool,
    /// The name of what it hit, for messages.
    pub(super) name: String,
    /// What it hit is clickable.
    pub(super) live: bool,
    /// Where the button was released instead, although the element is still there.
    pub(super) slipped: Option<String>,
    /// The page put a new element in its place before the button was up, so that it got no click.
    pub(super) replaced: bool,
}

impl Look {
    /// Whether a click would reach it.
    pub(super) fn open(&self) -> bool {
        self.point.is_some() && self.cover.is_none()
    }

    /// Whether any part of it is in its frame's viewport.
    pub(super) fn in_view(&self) -> bool {
        let (b, view) = (self.r#box, self.view);
        b.x < view.width && b.y < view.height && b.x + b.width > 0.0 && b.y + b.height > 0.0
    }

    /// Whether it has not moved.
    pub(super) fn stands(&self, before: &Self) -> bool {
        let (a, b) = (self.r#box, before.r#box);
        let near = |a: f64, b: f64| (a - b).abs() < 0.5;
        near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height)
    }
}
