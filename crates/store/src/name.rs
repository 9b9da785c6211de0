//! Profile names: the only text that becomes part of a path under the store.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The longest name, in characters (all of them one byte).
const MAX: usize = 64;

/// A profile's name: `^[a-z0-9][a-z0-9._-]{0,63}$`.
///
/// Lower case only, so that two names are never one folder on a file system
/// that ignores case; no leading dot, so that no name is hidden or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(String);

impl Name {
    /// Checks a name. Never changes it to make it fit; see [`NameError::suggestion`].
    pub fn parse(name: &str) -> Result<Self, NameError> {
        match problem(name) {
            None => Ok(Self(name.to_owned())),
            Some(problem) => Err(NameError {
                name: name.to_owned(),
                problem,
            }),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn problem(name: &str) -> Option<NameProblem> {
    let first = match name.chars().next() {
        None => return Some(NameProblem::Empty),
        Some(first) => first,
    };
    let foreign = |c: &char| !matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-');
    if let Some(found) = name.chars().find(foreign) {
        return Some(NameProblem::Character(found));
    }
    if matches!(first, '.' | '_' | '-') {
        return Some(NameProblem::Start(first));
    }
    // Only one-byte characters are left, so bytes equal characters.
    (name.len() > MAX).then_some(NameProblem::TooLong(name.len()))
}

/// A rejected name, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot name a profile: {problem}", shown(name))]
pub struct NameError {
    /// The name as given.
    pub name: String,
    /// What is wrong with it.
    pub problem: NameProblem,
}

/// What is wrong with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// Longer than 64 characters.
    #[error("it has {0} characters, and at most {MAX} are allowed")]
    TooLong(usize),
    /// Starts with something other than a letter or a digit.
    #[error("it starts with `{0}`, but a name starts with a letter or a digit")]
    Start(char),
    /// A character outside `a-z 0-9 . _ -`.
    #[error("it contains `{}`; only a-z, 0-9, `.`, `_` and `-` are allowed", .0.escape_debug())]
    Character(char),
}

impl NameError {
    /// A valid name close to the given one, for hints; never used on its own.
    pub fn suggestion(&self) -> Option<Name> {
        let kept: String = self
            .name
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .take(MAX)
            .collect();
        Name::parse(kept.trim_matches('-')).ok()
    }
}

/// Names come from anywhere: escapes control characters and cuts long names.
fn shown(name: &str) -> String {
    let mut shown: String = name
        .chars()
        .take(MAX)
        .flat_map(char::escape_debug)
        .collect();
    if name.chars().nth(MAX).is_some() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        Self::parse(&name)
    }
}

impl std::str::FromStr for Name {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        Self::parse(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, message: &str) {
        let error = Name::parse(name).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn plain_names_are_taken_as_they_are() {
        for name in [
            "a",
            "0",
            "default",
            "work.2024_x-1",
            "a..b",
            &"x".repeat(64),
        ] {
            assert_eq!(Name::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn what_could_become_another_path_is_refused() {
        refused(
            "..",
            "`..` cannot name a profile: it starts with `.`, but a name starts with a letter or a digit",
        );
        refused(
            ".",
            "`.` cannot name a profile: it starts with `.`, but a name starts with a letter or a digit",
        );
        refused("", "`` cannot name a profile: it is empty");
        refused(
            "a/b",
            "`a/b` cannot name a profile: it contains `/`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            "../../etc",
            "`../../etc` cannot name a profile: it contains `/`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            ".trash",
            "`.trash` cannot name a profile: it starts with `.`, but a name starts with a letter or a digit",
        );
        refused(
            "-rf",
            "`-rf` cannot name a profile: it starts with `-`, but a name starts with a letter or a digit",
        );
        refused(
            "_a",
            "`_a` cannot name a profile: it starts with `_`, but a name starts with a letter or a digit",
        );
    }

    #[test]
    fn other_characters_and_lengths_are_refused() {
        refused(
            "Work",
            "`Work` cannot name a profile: it contains `W`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            "żaba",
            "`żaba` cannot name a profile: it contains `ż`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            "a\0b",
            "`a\\0b` cannot name a profile: it contains `\\0`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            "a\n",
            "`a\\n` cannot name a profile: it contains `\\n`; only a-z, 0-9, `.`, `_` and `-` are allowed",
        );
        refused(
            &"x".repeat(300),
            &format!(
                "`{}…` cannot name a profile: it has 300 characters, and at most 64 are allowed",
                "x".repeat(64)
            ),
        );
    }

    #[test]
    fn a_refused_name_gets_a_suggestion_where_there_is_one() {
        let suggestion = |name: &str| {
            Name::parse(name)
                .unwrap_err()
                .suggestion()
                .map(|n| n.to_string())
        };
        assert_eq!(suggestion("My Work").as_deref(), Some("my-work"));
        assert_eq!(suggestion("../victim").as_deref(), Some("victim"));
        assert_eq!(suggestion(".."), None);
    }

    #[test]
    fn a_name_in_a_file_is_checked_too() {
        assert!(serde_json::from_str::<Name>(r#""ok""#).is_ok());
        assert!(serde_json::from_str::<Name>(r#""../x""#).is_err());
    }
}
