//! Tells whether entries of localStorage are those of a reading, without keeping them: they may be megabytes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::schema::Item;

/// Hashes of the names of some entries, and of what each holds; `None` for one that was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HashedEntries(BTreeMap<u64, Option<u64>>);

impl HashedEntries {
    /// What differs between two readings, as it is in the second.
    #[must_use]
    pub fn changed(before: &[Item], now: &[Item]) -> Self {
        let (before, now) = (hashed(before), hashed(now));
        let is_new = |(name, value): &(u64, Option<u64>)| before.get(name) != Some(value);
        let gone = before.keys().filter(|name| !now.contains_key(name));
        let gone: Vec<(u64, Option<u64>)> = gone.map(|name| (*name, None)).collect();
        Self(now.into_iter().filter(is_new).chain(gone).collect())
    }

    /// Whether `later` has all of these, as they are here.
    #[must_use]
    pub fn are_in(&self, later: &Self) -> bool {
        let mut entries = self.0.iter();
        entries.all(|(name, value)| later.0.get(name) == Some(value))
    }

    /// Notes an entry that Chromium has written or, without a value, removed. Both are as they are in its database.
    pub(super) fn note(&mut self, name: &[u8], value: Option<&[u8]>) {
        if let Some(name) = decoded(name) {
            self.0.insert(name, value.and_then(decoded));
        }
    }
}

fn hashed(items: &[Item]) -> BTreeMap<u64, Option<u64>> {
    let items = items.iter();
    items
        .map(|item| (hash(&item.name.to_str()), Some(hash(&item.value.to_str()))))
        .collect()
}

/// Of a string behind a byte that says how it is encoded: 0 for UTF-16, 1 for Latin-1.
fn decoded(bytes: &[u8]) -> Option<u64> {
    let (encoding, text) = bytes.split_first()?;
    let text = match encoding {
        0 => {
            let units = text.chunks_exact(2);
            let units: Vec<u16> = units
                .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
                .collect();
            String::from_utf16_lossy(&units)
        }
        1 => text.iter().copied().map(char::from).collect(),
        _ => return None,
    };
    Some(hash(&text))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[(&str, &str)]) -> Vec<Item> {
        let item = |(name, value): &(&str, &str)| Item {
            name: (*name).into(),
            value: (*value).into(),
        };
        items.iter().map(item).collect()
    }

    #[test]
    fn what_was_written_is_compared_with_what_changed() {
        let before = items(&[("same", "1"), ("new value", "1"), ("removed", "1")]);
        let now = items(&[("same", "1"), ("new value", "é"), ("new name 😀", "2")]);
        let changed = HashedEntries::changed(&before, &now);
        let mut written = HashedEntries::default();
        assert!(!changed.are_in(&written));
        written.note(b"\x01removed", None);
        written.note(b"\x01new value", Some(b"\x01\xe9"));
        assert!(!changed.are_in(&written));
        let name: Vec<u8> = "new name 😀"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        written.note(&[b"\0", &name[..]].concat(), Some(b"\x012"));
        assert!(changed.are_in(&written));
        written.note(b"\x01new value", Some(b"\x011"));
        assert!(!changed.are_in(&written));
        assert!(HashedEntries::changed(&now, &now).are_in(&HashedEntries::default()));
    }

    #[test]
    fn what_is_no_string_of_chromium_is_passed_over() {
        let mut written = HashedEntries::default();
        for name in [&b""[..], b"\x02a"] {
            written.note(name, Some(b"\x01a"));
        }
        assert_eq!(written, HashedEntries::default());
        written.note(b"\0a", Some(b""));
        written.note(b"\x01a", None);
    }
}
