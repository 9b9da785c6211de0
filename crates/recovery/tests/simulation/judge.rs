//! The promise: after every exit, each key has a value that it had within the last five seconds.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// How far back a value may be, in ms.
pub(crate) const WINDOW: u64 = 5_000;

/// How long a value may exist without being read, in ms.
const UNSEEN: u64 = 2_500;

/// What pages and servers have set, with the time of each change. It knows nothing of crashes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted<V> {
    changes: BTreeMap<u8, Vec<(u64, Option<V>)>>,
    /// Equally acceptable values, until the key is changed or judged.
    allowed: BTreeMap<u8, Vec<Option<V>>>,
}

impl<V: Copy + PartialEq + Debug> Wanted<V> {
    pub(crate) fn change(&mut self, now: u64, key: u8, value: Option<V>) {
        self.changes.entry(key).or_default().push((now, value));
        self.allowed.remove(&key);
    }

    pub(crate) fn allow(&mut self, key: u8, value: Option<V>) {
        self.allowed.entry(key).or_default().push(value);
    }

    pub(crate) fn now(&self, key: u8) -> Option<V> {
        self.changes.get(&key)?.last()?.1
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = u8> {
        self.changes.keys().copied()
    }

    /// Whether a key had that value at any time since `from`.
    fn had(&self, key: u8, value: Option<V>, from: u64) -> bool {
        let Some(changes) = self.changes.get(&key) else {
            return value.is_none();
        };
        let before = changes.iter().rev().find(|(at, _)| *at <= from);
        let at_first = before.and_then(|(_, value)| *value);
        at_first == value || changes.iter().any(|(at, had)| *at > from && *had == value)
    }

    /// Whether a value was gone again before any reading could have seen it. Chromium may have written
    /// it at that moment, and no one knows that it ended.
    fn was_never_seen(&self, key: u8, value: Option<V>) -> bool {
        let changes = self.changes.get(&key).map_or(&[][..], Vec::as_slice);
        let short =
            |pair: &[(u64, Option<V>)]| pair[0].1 == value && pair[1].0 - pair[0].0 <= UNSEEN;
        value.is_some() && changes.windows(2).any(short)
    }

    /// Compares what exists after an exit with what was wanted; from then on, what exists is wanted.
    pub(crate) fn judge(
        &mut self,
        what: &str,
        there: &BTreeMap<u8, V>,
        end: u64,
        now: u64,
    ) -> Result<(), String> {
        let from = end.saturating_sub(WINDOW);
        let keys: Vec<u8> = self.keys().chain(there.keys().copied()).collect();
        for key in keys {
            let value = there.get(&key).copied();
            let right = self.had(key, value, from)
                || self
                    .allowed
                    .get(&key)
                    .is_some_and(|allowed| allowed.contains(&value))
                || self.was_never_seen(key, value);
            if !right {
                return Err(format!(
                    "{what} {key} is {value:?} after the end at {end}; it was {:?}",
                    self.changes.get(&key)
                ));
            }
        }
        for key in self.keys().chain(there.keys().copied()).collect::<Vec<_>>() {
            let value = there.get(&key).copied();
            if self.now(key) != value {
                self.change(now, key, value);
            }
        }
        self.allowed.clear();
        Ok(())
    }
}
