//! Names of secrets.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest name.
const MAX: usize = 128;

/// A name such as `shop`, `mail/jane@example.org` or `GITHUB_TOKEN`. It never becomes a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SecretName(String);

/// An invalid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a secret's name is 1 to {MAX} of a-z, A-Z, 0-9, `.`, `_`, `-`, `@` and `/`, and begins with a letter or digit"
)]
pub struct NameProblem;

impl SecretName {
    /// Checks a name.
    ///
    /// # Errors
    /// It contains other characters, starts with a wrong one, or is too long. The error does
    /// not repeat the name, because the caller may have given the value instead.
    pub fn parse(name: &str) -> Result<Self, NameProblem> {
        let first = name
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_alphanumeric());
        let rest = name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-@/".contains(&b));
        if first && rest && name.len() <= MAX {
            Ok(Self(name.to_owned()))
        } else {
            Err(NameProblem)
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SecretName {
    type Error = NameProblem;

    fn try_from(name: String) -> Result<Self, NameProblem> {
        Self::parse(&name)
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check =
            |name: &str, good: bool| assert_eq!(SecretName::parse(name).is_ok(), good, "{name}");
        check("shop", true);
        check("mail/jane@example.org", true);
        check("GITHUB_TOKEN", true);
        check("", false);
        check("/etc", false);
        check("a b", false);
        check("ä", false);
        check("-x", false);
        check(&"x".repeat(128), true);
        check(&"x".repeat(129), false);
        assert!(
            !SecretName::parse("hunter 2")
                .unwrap_err()
                .to_string()
                .contains("hunter")
        );
    }
}
