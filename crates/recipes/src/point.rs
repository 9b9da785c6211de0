//! Points of elements, and distances: where in a drawing something is done, and how far something is dragged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point of an element, in CSS pixels from the upper left corner of its box, and how large the box was: in a
/// drawing of another size the point is of something else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Pixels from the left.
    pub x: i32,
    /// Pixels from the top.
    pub y: i32,
    /// Width of the element.
    pub width: u32,
    /// Height of the element.
    pub height: u32,
}

impl Point {
    /// Whether it is still the same point in an element of this size. Layouts round to one pixel or to the next.
    #[must_use]
    pub fn fits(&self, width: u32, height: u32) -> bool {
        self.width.abs_diff(width) <= 1 && self.height.abs_diff(height) <= 1
    }
}

/// A distance in CSS pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Distance {
    /// To the right.
    pub x: i32,
    /// Down.
    pub y: i32,
}

/// A button of the mouse other than the left one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OtherButton {
    /// The middle one.
    Middle,
    /// The right one.
    Right,
}

impl OtherButton {
    /// Its name in a file, and in other tools.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_of_an_element_of_the_same_size() {
        let point = Point {
            x: 20,
            y: 30,
            width: 300,
            height: 150,
        };
        assert!(point.fits(300, 150) && point.fits(301, 149));
        assert!(!point.fits(302, 150) && !point.fits(300, 75));
    }
}
