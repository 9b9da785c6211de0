//! Strings and values of a page, kept as the JSON text they came as.
//!
//! JavaScript strings may contain lone surrogates (packed data in localStorage does), which a Rust
//! string cannot; and numbers would lose digits as floats. So what a page stored stays JSON text, from
//! the page to the file and back.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// Any JSON value, compared by its text. `Debug` shows only its size: it may be a login.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The text as received.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

// By hand, so that `null` is a value like any other: `Option<Json>` distinguishes it from absence.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.get().len())
    }
}

/// Reads a field that may be absent, and keeps a `null` if there is one.
pub(super) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// A JavaScript string. Equal strings have equal texts, however they were escaped.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct Text(Box<RawValue>);

impl Text {
    /// The JSON text, quotes included.
    fn json(&self) -> &str {
        self.0.get()
    }

    /// As a Rust string; lone surrogates become U+FFFD.
    #[must_use]
    pub fn to_str(&self) -> Cow<'_, str> {
        let inner = self.json().trim_matches('"');
        if !inner.contains('\\') {
            return Cow::Borrowed(inner);
        }
        Cow::Owned(szk_cdp::json::read::<String>(self.json()).unwrap_or_default())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        // A string always has a JSON form; the default only avoids a panic.
        Self(serde_json::value::to_raw_value(text).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
            return Ok(Self::from(text.as_str()));
        }
        if raw.get().starts_with('"') {
            return Ok(Self(raw));
        }
        Err(serde::de::Error::custom("expected a string"))
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.json().cmp(other.json())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.json().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Text {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn escapes_do_not_matter() {
        assert_eq!(read(r#""\u00e9\/""#), Text::from("é/"));
        assert_eq!(read(r#""a\"b""#).to_str(), "a\"b");
        assert_eq!(read(r#""""#).to_str(), "");
    }

    #[test]
    fn a_lone_surrogate_survives() {
        let half = read(r#""a\ud800b""#);
        assert_eq!(serde_json::to_string(&half).unwrap(), r#""a\ud800b""#);
        assert_eq!(half.to_str(), "a\u{fffd}b");
    }

    #[test]
    fn only_strings_are_texts() {
        assert!(serde_json::from_str::<Text>("1").is_err());
        assert!(serde_json::from_str::<Text>("null").is_err());
    }

    #[test]
    fn values_are_not_shown() {
        assert_eq!(format!("{:?}", Text::from("secret")), "Text(8 bytes)");
        assert_eq!(
            format!("{:?}", serde_json::from_str::<Json>("[1]").unwrap()),
            "Json(3 bytes)"
        );
    }
}
