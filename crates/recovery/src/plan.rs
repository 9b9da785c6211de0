//! What to set and what to remove in one key-value table: the cookies, or the localStorage of one
//! origin.

use std::collections::BTreeMap;

use crate::{Gone, Millis, Truth};

/// What was known of a table when its browser was last read.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a, K, V> {
    /// The last trusted reading.
    pub items: &'a BTreeMap<K, V>,
    /// What earlier readings had and the last one lacked.
    pub gone: &'a Gone<K>,
    /// When the reading took place.
    pub read: Option<Millis>,
}

/// What Chromium now has in a table.
pub struct Chromium<'a, K, V> {
    /// Its keys and values.
    pub items: &'a BTreeMap<K, V>,
    /// When a key last changed, for tables that record it.
    pub changed: &'a dyn Fn(&K) -> Option<Millis>,
    /// Whether Chromium forgets such a value on every exit.
    pub fleeting: &'a dyn Fn(&V) -> bool,
}

/// The changes to make in Chromium's table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan<K, V> {
    /// Set these, overwriting what is there.
    pub set: Vec<(K, V)>,
    /// Remove these.
    pub remove: Vec<K>,
}

/// Decides for one table.
#[must_use]
pub fn plan<K: Ord + Clone, V: PartialEq + Clone>(
    truth: Truth,
    known: Known<'_, K, V>,
    chromium: &Chromium<'_, K, V>,
) -> Plan<K, V> {
    // Chromium's own times tell whether it changed the key after our reading.
    let unchanged_since = |key: &K| match ((chromium.changed)(key), known.read) {
        (Some(changed), Some(read)) => changed <= read,
        _ => false,
    };
    let wins = |key: &K, value: &V| match chromium.items.get(key) {
        Some(there) if there == value => false,
        Some(_) => match truth {
            Truth::Nothing | Truth::Reading => true,
            Truth::Files => false,
            Truth::Later => unchanged_since(key),
        },
        None => truth != Truth::Files || (chromium.fleeting)(value),
    };
    let goes = |key: &&K| {
        let deleted = known.gone.has(key) && !known.items.contains_key(*key);
        deleted
            && match truth {
                Truth::Nothing | Truth::Files => false,
                Truth::Reading => true,
                Truth::Later => unchanged_since(key),
            }
    };
    Plan {
        set: known
            .items
            .iter()
            .filter(|(key, value)| wins(key, value))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        remove: chromium.items.keys().filter(goes).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Table<'a> = &'a [(&'a str, &'a str)];

    fn map(table: Table<'_>) -> BTreeMap<String, String> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        table.iter().map(owned).collect()
    }

    /// The reading took place at 100. Values that begin with `~` are fleeting; Chromium's values that
    /// end in a number changed at that time.
    #[track_caller]
    fn check(truth: Truth, read: Table<'_>, there: Table<'_>, set: &[&str], remove: &[&str]) {
        let (read, there) = (map(read), map(there));
        let mut gone = Gone::default();
        gone.note(["gone".to_owned()].iter(), [].iter());
        let changed = |key: &String| there[key].split('@').nth(1)?.parse().ok();
        let plan = plan(
            truth,
            Known {
                items: &read,
                gone: &gone,
                read: Some(100),
            },
            &Chromium {
                items: &there,
                changed: &|key| there.contains_key(key).then(|| changed(key)).flatten(),
                fleeting: &|value: &String| value.starts_with('~'),
            },
        );
        let keys: Vec<_> = plan.set.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, set, "{truth:?}");
        assert_eq!(plan.remove, remove, "{truth:?}");
    }

    #[test]
    fn each_truth_does_what_it_says() {
        let read: Table<'_> = &[("both", "new"), ("lost", "1"), ("same", "1"), ("tab", "~1")];
        let there: Table<'_> = &[
            ("both", "old"),
            ("gone", "1"),
            ("later", "1"),
            ("same", "1"),
        ];
        check(Truth::Nothing, read, there, &["both", "lost", "tab"], &[]);
        check(Truth::Files, read, there, &["tab"], &[]);
        check(
            Truth::Reading,
            read,
            there,
            &["both", "lost", "tab"],
            &["gone"],
        );
        check(Truth::Later, read, there, &["lost", "tab"], &[]);
    }

    #[test]
    fn chromiums_own_times_decide_when_the_reading_is_old() {
        let read: Table<'_> = &[("both", "read")];
        check(Truth::Later, read, &[("both", "old@99")], &["both"], &[]);
        check(Truth::Later, read, &[("both", "new@101")], &[], &[]);
        check(Truth::Later, &[], &[("gone", "old@99")], &[], &["gone"]);
        check(Truth::Later, &[], &[("gone", "again@101")], &[], &[]);
        // A fresh reading needs no times, and a clock set back must not mislead it.
        check(Truth::Reading, read, &[("both", "old@101")], &["both"], &[]);
    }
}
