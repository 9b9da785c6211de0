//! Parses messages from the browser.
//!
//! Answers and events are read by small types that name only what is needed, because the types of the
//! protocol crate fail on every value that a newer Chromium adds. Such a type ignores unknown fields,
//! and has `#[serde(default)]` for optional ones.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

mod surrogates;

/// Reads JSON as `T`. Lone surrogates, which Rust strings cannot hold, become replacement characters;
/// this costs nothing if there are none.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, Unreadable> {
    serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&surrogates::mend(json)))
        .map_err(|_| Unreadable::of::<T>(json))
}

/// Reads an optional field, or its default if the value does not fit. Mostly for numbers that are signed
/// in Chromium, and -1 if unknown.
///
/// # Errors
/// Those of the JSON itself.
pub fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// JSON that does not fit the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at `{path}`")]
pub struct Unreadable {
    /// The field where parsing stopped, as in `cookies[0].name`; `.` is the whole.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Unreadable {
    pub(crate) fn new(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_owned(),
            problem: problem.to_owned(),
        }
    }

    /// Parses once more, to find where it stops.
    fn of<T: DeserializeOwned>(json: &str) -> Self {
        let mended = surrogates::mend(json);
        let mut reader = serde_json::Deserializer::from_str(&mended);
        match serde_path_to_error::deserialize::<_, T>(&mut reader) {
            Ok(_) => Self::new(".", "unexpected text after the value"),
            Err(error) => Self::new(&error.path().to_string(), &error.inner().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Frame {
        id: String,
        loader_id: Option<String>,
        #[serde(deserialize_with = "or_default")]
        line: u32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Tree {
        frames: Vec<Frame>,
    }

    #[track_caller]
    fn check(json: &str, expected: &[&str]) {
        let tree: Tree = read(json).unwrap();
        let ids: Vec<_> = tree.frames.iter().map(|frame| &frame.id).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn new_and_missing_fields_are_tolerated() {
        check(
            r#"{"frames": [{"id": "A", "new": {"x": []}}], "more": 1}"#,
            &["A"],
        );
        check(
            r#"{"frames": [{}, {"id": "B", "loaderId": null}]}"#,
            &["", "B"],
        );
    }

    #[test]
    fn numbers_that_chromium_does_not_know_are_defaults() {
        check(r#"{"frames": [{"id": "C", "line": -1}]}"#, &["C"]);
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        check(
            r#"{"frames": [{"id": "a\ud83d"}, {"id": "\ud83d\ude00"}]}"#,
            &["a\u{fffd}", "😀"],
        );
        assert_eq!(read::<String>(r#""\udc00""#), Ok("\u{fffd}".to_owned()));
    }

    #[track_caller]
    fn fails(json: &str, path: &str) {
        assert_eq!(read::<Tree>(json).unwrap_err().path, path, "{json}");
    }

    #[test]
    fn an_error_says_where_reading_stopped() {
        fails(r#"{"frames": [{"id": "A"}, {"id": 7}]}"#, "frames[1].id");
        fails(
            r#"{"frames": [{"id": "\ud83d"}, {"id": 7}]}"#,
            "frames[1].id",
        );
        fails("{}", ".");
        fails("nonsense", ".");
        fails(r#"{"frames": []} tail"#, ".");
    }
}
