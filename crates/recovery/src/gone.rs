//! Deletions: keys that one reading had and the next one lacked.
//!
//! Chromium writes deletions as late as everything else. After a crash its files have the key again,
//! and without this list a logout would look like a login that was never read.

use std::collections::VecDeque;

/// Most deleted keys to remember per table; the oldest are forgotten first.
const MOST: usize = 1000;

/// Deleted keys of one table, kept until Chromium exits cleanly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone<K> {
    /// Oldest first.
    keys: VecDeque<K>,
}

impl<K> Default for Gone<K> {
    fn default() -> Self {
        Self {
            keys: VecDeque::new(),
        }
    }
}

impl<K: PartialEq + Clone> Gone<K> {
    /// Takes over what an earlier keeper remembered.
    #[must_use]
    pub fn of(keys: impl IntoIterator<Item = K>) -> Self {
        let mut gone = Self::default();
        keys.into_iter().for_each(|key| gone.push(key));
        gone
    }

    /// Compares two readings: what only the first has is gone; what the second has is not.
    pub fn note<'a>(
        &mut self,
        before: impl IntoIterator<Item = &'a K>,
        after: impl IntoIterator<Item = &'a K> + Clone,
    ) where
        K: 'a + Ord,
    {
        let after: std::collections::BTreeSet<&K> = after.into_iter().collect();
        self.keys.retain(|key| !after.contains(key));
        for key in before {
            if !after.contains(key) && !self.has(key) {
                self.push(key.clone());
            }
        }
    }

    /// Whether the key was deleted.
    #[must_use]
    pub fn has(&self, key: &K) -> bool {
        self.keys.contains(key)
    }

    /// Whether nothing was deleted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &K> {
        self.keys.iter()
    }

    fn push(&mut self, key: K) {
        self.keys.push_back(key);
        if self.keys.len() > MOST {
            self.keys.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_not_gone() {
        let mut gone = Gone::default();
        gone.note(&["a", "b"], &["b", "c"]);
        assert!(gone.has(&"a") && !gone.has(&"b") && !gone.has(&"c"));
        gone.note(&["b", "c"], &["a"]);
        assert_eq!(gone.iter().collect::<Vec<_>>(), [&"b", &"c"]);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut gone = Gone::default();
        for key in 0..=MOST {
            gone.note(&[key], &[]);
        }
        assert!(!gone.has(&0) && gone.has(&1) && gone.has(&MOST));
    }
}
