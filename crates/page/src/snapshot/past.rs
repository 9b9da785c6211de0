//! Documents that the tab has left. Their refs live on when history leads back to them.
//!
//! A document that waited in the back/forward cache is the same as before: its script kept its numbers.
//! One that was loaded anew takes over the refs of those controls that it has again, the only ones of their
//! role, name and place.

use std::collections::VecDeque;

use super::heirs::Controls;
use super::item::Key;

/// Documents to remember.
const MOST: usize = 20;

/// A document of the page itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The serial number of its world.
    pub(super) world: u64,
    pub(super) url: String,
    /// Somebody went back or forward to it, and it was loaded anew.
    pub(super) again: bool,
}

/// Refs that went on with other nodes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GoneOn {
    /// The refs.
    pub refs: Vec<String>,
    /// Whether the page was loaded anew; otherwise it has replaced nodes.
    pub anew: bool,
}

/// The documents that a tab has shown.
#[derive(Debug, Default)]
pub(super) struct Past {
    now: Document,
    /// Those before, the last one at the end.
    left: VecDeque<(Document, Controls)>,
    /// What the document had before it was loaded anew and has not shown since.
    awaited: Controls,
}

impl Past {
    /// Another reading, of this document. `controls` are those of the reading before; the answer has those
    /// that the document had when it was read last.
    pub(super) fn read(&mut self, document: Document, controls: Controls) -> Controls {
        if document.world == self.now.world {
            self.now = document;
            return controls;
        }
        let before = std::mem::replace(&mut self.now, document);
        self.awaited = Controls::default();
        if before.world > 0 {
            if self.left.len() >= MOST {
                self.left.pop_front();
            }
            self.left.push_back((before, controls));
        }
        let same = |(left, _): &(Document, Controls)| left.world == self.now.world;
        if let Some(at) = self.left.iter().position(same) {
            return self.left.remove(at).unwrap_or_default().1;
        }
        let page = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
        let alike = |(left, _): &(Document, Controls)| {
            self.now.again && page(&left.url) == page(&self.now.url)
        };
        if let Some(at) = self.left.iter().rposition(alike) {
            self.awaited = self.left.remove(at).unwrap_or_default().1;
        }
        Controls::default()
    }

    /// Nodes of the earlier document, each with the one that stands in its stead in this one. Each is
    /// answered once: what loads late is found by a later reading.
    pub(super) fn heirs(&mut self, controls: &Controls) -> Vec<(Key, Key)> {
        let heirs = self.awaited.heirs(controls);
        self.awaited.forget(&heirs);
        heirs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::item::Item;

    fn document(world: u64, url: &str, again: bool) -> Document {
        let url = url.to_owned();
        Document { world, url, again }
    }

    fn controls(world: u64, number: u32, name: &str) -> Controls {
        let report = format!("0\tbutton\t{number}\ti\t{name}\t\t\t");
        Controls::of(&Item::read_all(world, &report), world)
    }

    fn key(world: u64, number: u32) -> Key {
        Key { world, number }
    }

    /// A tab that has shown `/a` with a button and then `/b`, and now shows this document.
    fn after(now: Document) -> (Past, Controls) {
        let mut past = Past::default();
        past.read(document(1, "/a#x", false), Controls::default());
        past.read(document(2, "/b", false), controls(1, 5, "Go"));
        let before = past.read(now, controls(2, 5, "Other"));
        (past, before)
    }

    #[test]
    fn a_document_that_comes_back_has_what_it_had() {
        let (mut past, before) = after(document(1, "/a", true));
        assert!(before.heirs(&controls(1, 9, "Go")) == [(key(1, 5), key(1, 9))]);
        assert!(past.heirs(&controls(1, 9, "Go")).is_empty());
    }

    #[test]
    fn one_that_is_loaded_anew_takes_over_what_it_has_again_once() {
        let (mut past, before) = after(document(3, "/a", true));
        assert!(before.heirs(&controls(3, 1, "Go")).is_empty());
        assert!(past.heirs(&controls(3, 1, "Late")).is_empty());
        assert_eq!(past.heirs(&controls(3, 2, "Go")), [(key(1, 5), key(3, 2))]);
        assert!(past.heirs(&controls(3, 3, "Go")).is_empty());
        // What is left of the page before is not taken for one of the next.
        past.read(document(4, "/c", true), controls(3, 2, "Go"));
        assert!(past.heirs(&controls(4, 1, "Go")).is_empty());
    }

    #[test]
    fn only_history_leads_to_the_same_page() {
        for now in [document(3, "/a", false), document(3, "/c", true)] {
            let (mut past, _) = after(now);
            assert!(past.heirs(&controls(3, 1, "Go")).is_empty());
        }
    }

    #[test]
    fn only_the_last_documents_are_remembered() {
        let mut past = Past::default();
        for world in 1..100 {
            past.read(document(world, "/", false), controls(world, 1, "Go"));
        }
        assert_eq!(past.left.len(), MOST);
    }
}
