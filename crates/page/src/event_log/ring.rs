//! The last events of each kind, in bounded memory.

use std::collections::VecDeque;

use super::entry::{Entry, Kind, What};
use super::query::{Found, Query};

/// Most entries of each kind, and most bytes.
const BOUNDS: [(Kind, usize, usize); 6] = [
    (Kind::Console, 2000, 2 << 20),
    (Kind::Network, 3000, 8 << 20),
    (Kind::Errors, 1000, 1 << 20),
    (Kind::Dialogs, 200, 1 << 18),
    (Kind::Downloads, 500, 1 << 18),
    (Kind::Acts, 1000, 2 << 20),
];

/// A ring for each kind, with one common counter of changes.
#[derive(Default)]
pub(super) struct Rings {
    rings: [Ring; BOUNDS.len()],
    last_id: u64,
    last_change: u64,
}

#[derive(Default)]
struct Ring {
    entries: VecDeque<Entry>,
    weight: usize,
    /// The newest change among the dropped entries.
    dropped: u64,
}

impl Rings {
    /// Number of the last change.
    pub(super) fn now(&self) -> u64 {
        self.last_change
    }

    /// Number of the newest entry.
    pub(super) fn last(&self) -> u64 {
        self.last_id
    }

    /// Adds an event; returns its number.
    pub(super) fn add(&mut self, at: i64, tab: Option<String>, what: What) -> u64 {
        self.last_id += 1;
        self.last_change += 1;
        let place = place(what.kind());
        let (_, most, heaviest) = BOUNDS[place];
        let ring = &mut self.rings[place];
        ring.weight += what.weight();
        ring.entries.push_back(Entry {
            id: self.last_id,
            seq: self.last_change,
            at,
            tab,
            what,
        });
        while ring.entries.len() > most || (ring.weight > heaviest && ring.entries.len() > 1) {
            if let Some(old) = ring.entries.pop_front() {
                ring.weight = ring.weight.saturating_sub(old.what.weight());
                ring.dropped = ring.dropped.max(old.seq);
            }
        }
        self.last_id
    }

    /// Changes an entry that is still there; returns the changed entry.
    pub(super) fn change(
        &mut self,
        kind: Kind,
        id: u64,
        change: impl FnOnce(&mut Entry),
    ) -> Option<&Entry> {
        let ring = &mut self.rings[place(kind)];
        let at = ring
            .entries
            .binary_search_by_key(&id, |entry| entry.id)
            .ok()?;
        let entry = &mut ring.entries[at];
        let before = entry.what.weight();
        change(entry);
        self.last_change += 1;
        entry.seq = self.last_change;
        ring.weight = ring.weight.saturating_sub(before) + entry.what.weight();
        Some(entry)
    }

    /// The entry of this number.
    pub(super) fn get(&self, id: u64) -> Option<&Entry> {
        self.rings.iter().find_map(|ring| {
            let at = ring
                .entries
                .binary_search_by_key(&id, |entry| entry.id)
                .ok()?;
            ring.entries.get(at)
        })
    }

    /// The oldest matching entries after the query's cursor, in the order of their changes; without a
    /// cursor the newest.
    pub(super) fn find(&self, query: &Query) -> Found {
        let rings = BOUNDS
            .iter()
            .zip(&self.rings)
            .filter(|((kind, _, _), _)| query.kind.is_none_or(|wanted| wanted == *kind))
            .map(|(_, ring)| ring);
        let mut fitting: Vec<&Entry> = Vec::new();
        let mut missed = false;
        for ring in rings {
            missed |= query.since.is_some_and(|since| ring.dropped > since);
            fitting.extend(ring.entries.iter().filter(|entry| query.fits(entry)));
        }
        fitting.sort_unstable_by_key(|entry| entry.seq);
        let more = fitting.len().saturating_sub(query.limit);
        let (shown, next) = if query.since.is_some() {
            let shown = &fitting[..fitting.len() - more];
            let next = if more > 0 {
                shown.last().map_or(self.last_change, |entry| entry.seq)
            } else {
                self.last_change
            };
            (shown, next)
        } else {
            (&fitting[more..], self.last_change)
        };
        Found {
            entries: shown.iter().map(|entry| (*entry).clone()).collect(),
            more,
            next,
            missed,
        }
    }
}

fn place(kind: Kind) -> usize {
    BOUNDS
        .iter()
        .position(|(other, _, _)| *other == kind)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::entry::Console;
    use super::*;

    fn line(text: &str) -> What {
        What::Console(Console {
            level: "log".into(),
            text: text.into(),
            url: String::new(),
            line: 1,
        })
    }

    fn texts(found: &Found) -> Vec<String> {
        let text = |entry: &Entry| match &entry.what {
            What::Console(console) => console.text.clone(),
            other => format!("{other:?}"),
        };
        found.entries.iter().map(text).collect()
    }

    fn query(since: Option<u64>, limit: usize) -> Query {
        Query {
            since,
            limit,
            ..Query::default()
        }
    }

    #[test]
    fn a_cursor_goes_on_where_it_was_and_sees_changes() {
        let mut rings = Rings::default();
        let first = rings.add(0, None, line("a"));
        rings.add(0, None, line("b"));
        rings.add(0, None, line("c"));
        assert_eq!(texts(&rings.find(&query(None, 2))), ["b", "c"]);
        let one = rings.find(&query(Some(0), 2));
        assert_eq!((texts(&one), one.more), (vec!["a".into(), "b".into()], 1));
        let two = rings.find(&query(Some(one.next), 2));
        assert_eq!((texts(&two), two.more), (vec!["c".to_owned()], 0));
        rings.change(Kind::Console, first, |_| ());
        assert_eq!(texts(&rings.find(&query(Some(two.next), 9))), ["a"]);
    }

    #[test]
    fn memory_is_bounded_and_what_was_lost_is_told() {
        let mut rings = Rings::default();
        for number in 0..3000 {
            rings.add(0, None, line(&format!("{number}")));
        }
        assert_eq!(rings.find(&query(None, 9999)).entries.len(), 2000);
        assert!(rings.find(&query(Some(10), 1)).missed);
        assert!(!rings.find(&query(Some(2500), 1)).missed);
        for _ in 0..10 {
            rings.add(0, None, line(&"x".repeat(1 << 20)));
        }
        assert!(rings.find(&query(None, 9999)).entries.len() <= 2);
        assert!(rings.get(1).is_none() && rings.get(3010).is_some());
    }
}
