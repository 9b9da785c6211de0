//! A size in CSS pixels, written `1280x800`.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::InvalidValue;

/// A width and a height in CSS pixels.
///
/// Written as `"1280x800"`; the table form `{ width = 1280, height = 800 }` also works, because people
/// bring it from other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    /// CSS pixels from left to right.
    pub width: u32,
    /// CSS pixels from top to bottom.
    pub height: u32,
}

impl Viewport {
    /// The largest side; beyond it Chromium's compositor refuses the surface.
    pub const MAX: u32 = 16_384;

    /// The narrowest page: phones begin here.
    pub const NARROWEST: u32 = 240;
    /// The shortest page.
    pub const LOWEST: u32 = 150;
    /// The narrowest page in a window; Chromium widens narrower windows. A mobile identity is not
    /// limited by its window.
    pub const NARROWEST_WINDOW: u32 = 500;

    /// A size whose sides are within `1..=MAX`.
    pub fn new(width: u32, height: u32) -> Result<Self, InvalidValue> {
        let sides = 1..=Self::MAX;
        if sides.contains(&width) && sides.contains(&height) {
            return Ok(Self { width, height });
        }
        Err(InvalidValue::new(format!(
            "`{width}x{height}` is out of range: each side is 1 to {} pixels",
            Self::MAX
        )))
    }
}

impl fmt::Display for Viewport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Viewport {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || {
            InvalidValue::new(format!("`{text}` is not a size such as `1280x800`"))
                .meant(repaired(text))
        };
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        let side = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten()
        };
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Self::new(width, height),
            _ => Err(wrong()),
        }
    }
}

/// The two numbers in a text, whatever separates them.
fn repaired(text: &str) -> Option<Viewport> {
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty());
    let size = (numbers.next()?, numbers.next()?);
    let (width, height) = (size.0.parse().ok()?, size.1.parse().ok()?);
    match numbers.next() {
        Some(_) => None,
        None => Viewport::new(width, height).ok(),
    }
}

impl Serialize for Viewport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Viewport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor)
    }
}

/// Reads both spellings; an untagged enum would give the same message for every mistake.
struct SizeVisitor;

impl<'de> Visitor<'de> for SizeVisitor {
    type Value = Viewport;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as `1280x800`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Viewport, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Viewport, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Sides {
            width: u32,
            height: u32,
        }
        let sides = Sides::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Viewport::new(sides.width, sides.height).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let read = serde_json::from_str::<Viewport>(json);
        let shown = read.map_or_else(|e| e.to_string(), |v| v.to_string());
        assert!(shown.starts_with(expected), "{json}: {shown}");
    }

    #[test]
    fn reads_both_spellings() {
        check(r#""1280x800""#, "1280x800");
        check(r#"{"width":1280,"height":800}"#, "1280x800");
    }

    #[test]
    fn refuses_what_is_not_a_size() {
        check(r#""1280""#, "`1280` is not a size such as `1280x800`");
        check(r#""1280x""#, "`1280x` is not a size");
        check(r#""+5x6""#, "`+5x6` is not a size");
        check(r#""0x800""#, "`0x800` is out of range");
        check(r#""99999x1""#, "`99999x1` is out of range");
        check(r#"{"width":1280}"#, "missing field `height`");
        check(
            r#"{"width":1,"height":1,"depth":1}"#,
            "unknown field `depth`",
        );
        check(
            "5",
            "invalid type: integer `5`, expected a size such as `1280x800`",
        );
    }
}
