//! Documents that the tab has left. Their refs live on when history leads back to them, and when they are
//! reloaded.
//!
//! A document that waited in the back/forward cache is the same as before: its script kept its numbers.
//! One that was loaded anew takes over the refs of those controls that it has again, the only ones of their
//! role, name and place. The documents of its frames do the same when they have the same address, and also
//! when history leads a frame alone back to one.

use std::collections::VecDeque;

use super::heirs::Controls;
use super::item::Key;

/// Documents to remember.
const MOST: usize = 20;

/// A document of the page itself, or of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// The serial number of its world.
    pub(super) world: u64,
    pub(super) url: String,
    /// Somebody went back or forward to it, or reloaded it, and it was loaded anew.
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
    /// That of the page, and those of its frames.
    now: Vec<Document>,
    /// Those of the page before, the last one at the end.
    left: VecDeque<(Document, Controls)>,
    /// Those that frames of this page have left.
    parts: VecDeque<(Document, Controls)>,
    /// What the document had before it was loaded anew and has not shown since.
    awaited: Controls,
}

impl Past {
    /// Another reading, of these documents: that of the page, then those of its frames. `controls` are those
    /// of the reading before; the answer has those that the page's document had when it was read last.
    pub(super) fn read(&mut self, documents: Vec<Document>, controls: Controls) -> Controls {
        let own = documents.first().cloned().unwrap_or_default();
        let before = std::mem::replace(&mut self.now, documents);
        let last = before.first().cloned().unwrap_or_default();
        if own.world == last.world {
            self.frames_after(&before, &controls);
            return controls;
        }
        self.awaited = Controls::default();
        self.parts.clear();
        if last.world > 0 {
            keep(&mut self.left, last, controls);
        }
        if let Some(at) = self
            .left
            .iter()
            .position(|(left, _)| left.world == own.world)
        {
            return self.left.remove(at).unwrap_or_default().1;
        }
        if let Some(left) = found_again(&mut self.left, &own) {
            self.awaited = left;
        }
        Controls::default()
    }

    /// The frames of the same page may show other documents than before.
    fn frames_after(&mut self, before: &[Document], controls: &Controls) {
        let is_in = |all: &[Document], world: u64| all.iter().any(|one| one.world == world);
        for left in before.iter().filter(|one| !is_in(&self.now, one.world)) {
            keep(&mut self.parts, left.clone(), controls.within(left.world));
        }
        for came in self.now.iter().filter(|one| !is_in(before, one.world)) {
            self.parts.retain(|(left, _)| left.world != came.world);
            if let Some(left) = found_again(&mut self.parts, came) {
                self.awaited.extend(left);
            }
        }
    }

    /// Whether another node may still stand in for this one: the page has not shown one since it was loaded anew.
    pub(super) fn awaits(&self, key: Key) -> bool {
        self.awaited.has(key)
    }

    /// Nodes of the earlier document, each with the one that stands in its stead in this one. Each is
    /// answered once: what loads late is found by a later reading.
    pub(super) fn heirs(&mut self, controls: &Controls) -> Vec<(Key, Key)> {
        let heirs = self.awaited.heirs_anew(controls);
        self.awaited.forget(&heirs);
        heirs
    }
}

fn keep(all: &mut VecDeque<(Document, Controls)>, left: Document, controls: Controls) {
    if all.len() >= MOST {
        all.pop_front();
    }
    all.push_back((left, controls));
}

/// What the document had that history led back to, if this one was loaded in its stead.
fn found_again(all: &mut VecDeque<(Document, Controls)>, came: &Document) -> Option<Controls> {
    let alike = |(left, _): &(Document, Controls)| came.again && page(&left.url) == page(&came.url);
    let at = all.iter().rposition(alike)?;
    Some(all.remove(at)?.1)
}

/// An address without what follows a `#`.
pub(super) fn page(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
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
        Controls::of(
            &Item::read_all(world, &report),
            &[document(world, "", false)],
        )
    }

    fn key(world: u64, number: u32) -> Key {
        Key { world, number }
    }

    /// A tab that has shown `/a` with a button and then `/b`, and now shows this document.
    fn after(now: Document) -> (Past, Controls) {
        let mut past = Past::default();
        past.read(vec![document(1, "/a#x", false)], Controls::default());
        past.read(vec![document(2, "/b", false)], controls(1, 5, "Go"));
        let before = past.read(vec![now], controls(2, 5, "Other"));
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
        past.read(vec![document(4, "/c", true)], controls(3, 2, "Go"));
        assert!(past.heirs(&controls(4, 1, "Go")).is_empty());
    }

    #[test]
    fn only_history_leads_to_the_same_page() {
        for now in [document(3, "/a", false), document(3, "/c", true)] {
            let (mut past, _) = after(now);
            assert!(past.heirs(&controls(3, 1, "Go")).is_empty());
        }
    }

    /// A reading of a page whose frame shows this document, with a button in it.
    fn framed(frame: &Document, number: u32) -> (Vec<Document>, Controls) {
        let documents = vec![document(1, "/", false), frame.clone()];
        let report = format!("1\tbutton\t{number}\ti\tGo\t\t\t");
        let mut items = Item::read_all(1, "0\tiframe\t9\tf\tPart\t\t\t");
        items.extend(Item::read_all(frame.world, &report));
        let controls = Controls::of(&items, &documents);
        (documents, controls)
    }

    #[test]
    fn a_frame_that_history_leads_back_takes_over_what_it_has_again() {
        let check = |back: &Document, expected: &[(Key, Key)]| {
            let mut past = Past::default();
            let (first, had) = framed(&document(2, "/part", false), 5);
            past.read(first, Controls::default());
            let (next, other) = framed(&document(3, "/else", false), 5);
            past.read(next, had);
            assert!(past.heirs(&other).is_empty(), "another document");
            let (again, has) = framed(back, 1);
            past.read(again, other);
            assert_eq!(past.heirs(&has), expected, "{back:?}");
        };
        check(&document(4, "/part", true), &[(key(2, 5), key(4, 1))]);
        check(&document(4, "/part", false), &[]);
        check(&document(4, "/third", true), &[]);
    }

    #[test]
    fn frames_of_a_page_that_is_loaded_anew_take_over_theirs() {
        let check = |url: &str, expected: &[(Key, Key)]| {
            let mut past = Past::default();
            let (first, had) = framed(&document(2, "/part", false), 5);
            past.read(first, Controls::default());
            past.read(vec![document(3, "/b", false)], had);
            let (mut again, _) = framed(&document(5, url, true), 1);
            again[0] = document(4, "/", true);
            let items = Item::read_all(5, "1\tbutton\t1\ti\tGo\t\t\t");
            let mut all = Item::read_all(4, "0\tiframe\t9\tf\tPart\t\t\t");
            all.extend(items);
            let has = Controls::of(&all, &again);
            past.read(again, Controls::default());
            assert_eq!(past.heirs(&has), expected, "{url}");
        };
        check("/part#x", &[(key(2, 5), key(5, 1))]);
        check("/other", &[]);
    }

    #[test]
    fn only_the_last_documents_are_remembered() {
        let mut past = Past::default();
        for world in 1..100 {
            past.read(vec![document(world, "/", false)], controls(world, 1, "Go"));
        }
        assert_eq!(past.left.len(), MOST);
    }
}
