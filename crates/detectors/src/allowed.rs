//! Differences that have a reason. The list may only shrink.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::compare::Difference;

/// The list itself.
const KNOWN: &str = include_str!("../allowed.toml");

/// The differences that are known, each with its reason.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// What is allowed.
    #[serde(default, rename = "difference")]
    pub entries: Vec<Entry>,
}

/// One allowed difference, in each of its realms and modes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name of the check.
    pub check: String,
    /// Realms in which it differs, every one of them.
    pub realms: Vec<String>,
    /// Modes in which it differs, every one of them.
    pub modes: Vec<String>,
    /// Paths in the value that differ: all of these and no others. Empty means the whole value.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Why this is no defect, or why it cannot be fixed.
    pub reason: String,
}

/// The list could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the list of allowed differences cannot be read: {0}")]
pub struct AllowedError(#[from] toml::de::Error);

/// Differences that the list does not cover, and entries that cover nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Differences without a reason, reduced to the changes that are not covered.
    pub unlisted: Vec<Difference>,
    /// Entries (`check`, `realm`, `mode`, `path`) for differences that no longer occur: remove them.
    pub stale: Vec<[String; 4]>,
}

impl Judgement {
    /// Whether the list matches reality exactly.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unlisted.is_empty() && self.stale.is_empty()
    }
}

impl Allowed {
    /// The differences between szk and an ordinary browser that are known, with their reasons.
    ///
    /// # Errors
    /// [`AllowedError`], if the list in this crate is broken; a test keeps it readable.
    pub fn known() -> Result<Self, AllowedError> {
        Self::parse(KNOWN)
    }

    /// Reads a list.
    ///
    /// # Errors
    /// [`AllowedError`] if it is not TOML of this shape.
    pub fn parse(text: &str) -> Result<Self, AllowedError> {
        Ok(toml::from_str(text)?)
    }

    /// Why a change of a difference is allowed.
    #[must_use]
    pub fn reason(&self, difference: &Difference, path: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| {
            entry.check == difference.check
                && entry.realms.contains(&difference.realm)
                && entry.modes.contains(&difference.mode)
                && (entry.paths.is_empty() || entry.paths.iter().any(|known| known == path))
        });
        entry.map(|entry| entry.reason.as_str())
    }

    /// Compares the differences of one mode with the list.
    #[must_use]
    pub fn judge(&self, mode: &str, differences: &[Difference]) -> Judgement {
        let unlisted = differences.iter().filter_map(|difference| {
            let mut rest = difference.clone();
            rest.changes
                .retain(|change| self.reason(difference, &change.path).is_none());
            (!rest.changes.is_empty()).then_some(rest)
        });
        let found: BTreeSet<[&str; 3]> = differences
            .iter()
            .flat_map(|difference| {
                let place = [difference.check.as_str(), difference.realm.as_str()];
                difference
                    .changes
                    .iter()
                    .map(move |change| [place[0], place[1], change.path.as_str()])
            })
            .collect();
        let mut stale = Vec::new();
        for entry in &self.entries {
            if !entry.modes.iter().any(|listed| listed == mode) {
                continue;
            }
            for realm in &entry.realms {
                let mut old = |path: &str| {
                    stale.push([&entry.check, realm, mode, path].map(|part: &str| part.to_owned()));
                };
                if entry.paths.is_empty() {
                    let any = found
                        .iter()
                        .any(|[check, place, _]| *check == entry.check && place == realm);
                    if !any {
                        old("");
                    }
                }
                for path in &entry.paths {
                    if !found.contains(&[entry.check.as_str(), realm.as_str(), path.as_str()]) {
                        old(path);
                    }
                }
            }
        }
        Judgement {
            unlisted: unlisted.collect(),
            stale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Change;

    const LIST: &str = r#"
        [[difference]]
        check = "history"
        realms = ["main"]
        modes = ["szk"]
        paths = ["length"]
        reason = "a person who types an address has it too"
    "#;

    fn difference(paths: &[&str]) -> Difference {
        let change = |path: &&str| Change {
            path: (*path).to_owned(),
            gold: None,
            seen: None,
        };
        Difference {
            check: "history".into(),
            realm: "main".into(),
            mode: "szk".into(),
            changes: paths.iter().map(change).collect(),
        }
    }

    #[test]
    fn the_known_differences_can_be_read() {
        assert!(!Allowed::known().unwrap().entries.is_empty());
    }

    #[test]
    fn what_is_listed_is_allowed() {
        let allowed = Allowed::parse(LIST).unwrap();
        assert!(allowed.judge("szk", &[difference(&["length"])]).is_clean());
        // The list says nothing about another mode.
        assert!(allowed.judge("szk-window", &[]).is_clean());
    }

    #[test]
    fn what_is_not_listed_is_not() {
        let allowed = Allowed::parse(LIST).unwrap();
        let judgement = allowed.judge("szk", &[difference(&["length", "state"])]);
        assert_eq!(judgement.unlisted, [difference(&["state"])]);
    }

    #[test]
    fn what_no_longer_occurs_must_go() {
        let allowed = Allowed::parse(LIST).unwrap();
        let judgement = allowed.judge("szk", &[]);
        assert_eq!(judgement.stale, [["history", "main", "szk", "length"]]);
    }

    #[test]
    fn every_entry_has_a_reason() {
        assert!(Allowed::parse("[[difference]]\ncheck='a'\nrealms=['b']\nmodes=['c']").is_err());
    }
}
