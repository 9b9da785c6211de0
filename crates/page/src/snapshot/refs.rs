//! Refs: numbers that stay with their nodes and are never reused.

use std::collections::{BTreeMap, HashMap};

use szk_cdp::SessionId;

use super::item::{Item, Key, Kind};

/// What a ref resolves to, checked just now.
#[derive(Debug, Clone)]
pub struct Node {
    /// Our session with the frame's process.
    pub session: SessionId,
    /// The frame.
    pub frame: String,
    /// CDP's id of the node.
    pub backend_node_id: i64,
    /// Its role.
    pub role: String,
    /// Its accessible name.
    pub name: String,
}

/// What a ref stands for.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) key: Key,
    pub(super) kind: Kind,
    pub(super) role: String,
    pub(super) name: String,
}

/// Refs of dead documents are kept for messages, up to this many in total.
const MOST: usize = 50_000;

/// All refs of a tab.
#[derive(Default)]
pub(super) struct Refs {
    last: u32,
    by_key: HashMap<Key, u32>,
    known: BTreeMap<u32, Known>,
}

impl Refs {
    /// The number of a node: its existing one, or the next. Records what it is now.
    pub(super) fn number(&mut self, item: &Item) -> u32 {
        let number = *self.by_key.entry(item.key).or_insert_with(|| {
            self.last += 1;
            self.last
        });
        match self.known.get_mut(&number) {
            Some(known) => {
                known.kind = item.kind;
                if known.role != item.role {
                    known.role.clone_from(&item.role);
                }
                if known.name != item.name {
                    known.name.clone_from(&item.name);
                }
            }
            None => {
                let known = Known {
                    key: item.key,
                    kind: item.kind,
                    role: item.role.clone(),
                    name: item.name.clone(),
                };
                self.known.insert(number, known);
            }
        }
        number
    }

    /// A node that stands in the place of another takes over its ref, unless it has been given one of its own.
    /// Returns the ref.
    pub(super) fn inherit(&mut self, old: Key, heir: Key) -> Option<u32> {
        if self.by_key.contains_key(&heir) {
            return None;
        }
        let number = self.by_key.remove(&old)?;
        self.by_key.insert(heir, number);
        self.known.get_mut(&number)?.key = heir;
        Some(number)
    }

    /// The number of a node that has one.
    pub(super) fn of(&self, key: Key) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// What `e12`, `@e12` or `ref=e12` stands for.
    pub(super) fn get(&self, reference: &str) -> Option<&Known> {
        let reference = reference.trim().trim_start_matches('@');
        let reference = reference.strip_prefix("ref=").unwrap_or(reference);
        self.known.get(&reference.strip_prefix('e')?.parse().ok()?)
    }

    /// Forgets the oldest refs of dead worlds if there are too many.
    pub(super) fn prune(&mut self, alive: impl Fn(u64) -> bool) {
        if self.known.len() <= MOST {
            return;
        }
        self.known.retain(|_, known| alive(known.key.world));
        self.by_key.retain(|key, _| alive(key.world));
    }
}

impl Known {
    /// A description for messages.
    pub(super) fn words(&self) -> String {
        words(&self.role, &self.name)
    }
}

/// A role and a name in words, for messages.
pub(super) fn words(role: &str, name: &str) -> String {
    if name.is_empty() {
        format!("{role} without a name")
    } else {
        format!("{role} {}", szk_text::quoted(name, 80))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(world: u64, number: u32, name: &str) -> Item {
        Item {
            key: Key { world, number },
            role: "button".into(),
            kind: Kind::Control,
            name: name.into(),
            ..Item::note(0, "")
        }
    }

    #[test]
    fn a_number_stays_with_its_node_and_is_given_once() {
        let mut refs = Refs::default();
        assert_eq!(refs.number(&item(1, 5, "a")), 1);
        assert_eq!(refs.number(&item(1, 6, "b")), 2);
        assert_eq!(refs.number(&item(1, 5, "c")), 1);
        // Another document numbers its nodes from the beginning.
        assert_eq!(refs.number(&item(2, 5, "d")), 3);
        assert_eq!(refs.get("e1").unwrap().name, "c");
        assert_eq!(refs.get("@e3").unwrap().name, "d");
        assert_eq!(refs.get("ref=e2").unwrap().name, "b");
        for wrong in ["e4", "1", "e", "", "eé", "e-1"] {
            assert!(refs.get(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn an_heir_takes_over_the_number() {
        let mut refs = Refs::default();
        let (old, heir) = (item(1, 5, "a"), item(1, 9, "a"));
        assert_eq!(refs.number(&old), 1);
        assert_eq!(refs.inherit(old.key, heir.key), Some(1));
        assert_eq!((refs.number(&heir), refs.number(&old)), (1, 2));
        // It has a number of its own, or there is none to take over.
        assert_eq!(refs.inherit(old.key, heir.key), None);
        assert_eq!(refs.inherit(item(1, 7, "x").key, item(1, 8, "x").key), None);
    }

    #[test]
    fn those_of_dead_documents_are_dropped_at_last() {
        let mut refs = Refs::default();
        for number in 0..=MOST as u32 {
            refs.number(&item(1, number, "old"));
        }
        let kept = refs.number(&item(2, 1, "new"));
        refs.prune(|world| world == 2);
        assert!(refs.get("e1").is_none());
        assert!(refs.get(&format!("e{kept}")).is_some());
        assert_eq!(refs.number(&item(1, 1, "again")), kept + 1);
    }
}
