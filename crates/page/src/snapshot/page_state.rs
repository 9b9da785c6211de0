//! The page as it was told last, and what is different now. It does not depend on what a snapshot lists.

mod became;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp};

use super::item::{Item, Key, Kind};
use super::lines;
use super::options::Mode;
use super::place;
use super::refs::Refs;

/// How long to look for the shortest difference.
const PATIENCE: Duration = Duration::from_millis(300);
/// Nodes that went away side by side are counted when they are more than this.
const GONE: usize = 3;
/// Nodes that went away here and there are counted together when they are more than this.
const SCATTERED: usize = 12;
/// States that say what a control holds.
const VALUES: [&str; 3] = ["checked", "mixed", "selected"];
/// Lines of one place before those of the next place are told.
const PLACE: usize = 25;
/// What these say comes first.
const URGENT: [&str; 4] = ["alertdialog", "alert", "dialog", "status"];

/// A state of the page.
pub(super) struct PageState {
    pub(super) mode: Mode,
    entries: Vec<Entry>,
    worlds: BTreeSet<u64>,
}

/// A node, and the text that is its only content.
struct Entry {
    item: Item,
    inner: Option<String>,
    /// The line without its place.
    line: String,
    /// Two entries with the same are the same: of what carries a ref also the node.
    same: String,
}

impl PageState {
    pub(super) fn of(mode: Mode, items: Vec<Item>) -> Self {
        let known = items.iter().filter(|item| item.key.number > 0);
        let worlds = known.map(|item| item.key.world).collect();
        let mut entries = Vec::with_capacity(items.len());
        let mut at = 0;
        while at < items.len() {
            let inner = lines::only_text(&items, at).map(str::to_owned);
            let step = if inner.is_some() { 2 } else { 1 };
            // What text is listed near controls depends on all that is listed.
            let left_out =
                mode == Mode::Interactive && items[at].kind == Kind::Text && !says(&items, at);
            if items[at].kind != Kind::Note && !left_out {
                entries.push(Entry::of(&items[at], inner));
            }
            at += step;
        }
        Self {
            mode,
            entries,
            worlds,
        }
    }

    /// Whether none of the documents is left.
    pub(super) fn replaced_by(&self, now: &Self) -> bool {
        !self.worlds.is_empty() && self.worlds.is_disjoint(&now.worlds)
    }

    /// Whether it was read from one of these documents.
    pub(super) fn is_of(&self, worlds: &BTreeSet<u64>) -> bool {
        !self.worlds.is_disjoint(worlds)
    }

    /// The numbers of all nodes.
    pub(super) fn keys(&self) -> HashSet<Key> {
        self.entries.iter().map(|entry| entry.item.key).collect()
    }

    /// Nodes were replaced by others that are the same to the caller.
    pub(super) fn pass_on(&mut self, replaced: &[(Key, Key)]) {
        let heirs: HashMap<Key, Key> = replaced.iter().copied().collect();
        for entry in &mut self.entries {
            if let Some(heir) = heirs.get(&entry.item.key) {
                entry.pass_on(*heir);
            }
        }
    }

    /// The caller knows what these controls hold now, because it filled them.
    pub(super) fn knows(&mut self, filled: &HashSet<Key>, now: &Self) {
        let mut within: Option<usize> = None;
        let mut held: HashMap<Key, &Entry> = HashMap::new();
        for entry in &now.entries {
            within = within.filter(|depth| entry.item.depth > *depth);
            if filled.contains(&entry.item.key) && within.is_none() {
                within = Some(entry.item.depth);
            }
            if within.is_some() {
                held.insert(entry.item.key, entry);
            }
        }
        for entry in &mut self.entries {
            if let Some(now) = held.get(&entry.item.key) {
                entry.hold(now);
            }
        }
    }

    /// The lines that say what is different now: urgent ones first, then those nearest to a node.
    pub(super) fn changes(&self, now: &Self, refs: &mut Refs, near: Option<Key>) -> Vec<String> {
        let difference = Difference::of(&self.entries, &now.entries);
        let at = near.and_then(|key| now.entries.iter().position(|entry| entry.item.key == key));
        let mut places = difference.places(refs);
        let scattered = difference.scattered();
        places.sort_by_key(|place| match (place.urgent, at) {
            (true, _) => 0,
            (false, Some(at)) => 1 + place.at.abs_diff(at),
            (false, None) => 1 + place.at,
        });
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        let mut scattered = told_gone(&scattered, 0, refs);
        for place in places {
            if !place.urgent {
                first.append(&mut scattered);
            }
            let mut lines = place.lines;
            rest.extend(lines.split_off(lines.len().min(PLACE)));
            first.extend(lines);
        }
        first.append(&mut scattered);
        first.append(&mut rest);
        if difference.moved > 0 {
            first.push(match difference.moved {
                1 => "(1 line moved)".to_owned(),
                moved => format!("({moved} lines moved)"),
            });
        }
        once(first)
    }
}

/// Leaves out what is around a change where it is the last outermost line anyway.
fn once(mut lines: Vec<String>) -> Vec<String> {
    let mut outer = String::new();
    lines.retain(|line| {
        let Some((sign, rest)) = line.split_at_checked(2) else {
            return true;
        };
        if !rest.starts_with("- ") {
            return true;
        }
        let again = sign == "  " && outer == rest;
        rest.clone_into(&mut outer);
        !again
    });
    lines
}

/// Whether a text is what an alert, a dialog or a status says.
fn says(items: &[Item], at: usize) -> bool {
    let mut depth = items[at].depth;
    let before = items[..at].iter().rev();
    let mut around = before.filter(|outer| {
        let is_around = outer.depth < depth;
        depth = depth.min(outer.depth);
        is_around
    });
    around.any(|outer| URGENT.contains(&outer.role.as_str()))
}

impl Entry {
    fn of(item: &Item, inner: Option<String>) -> Self {
        let item = Item {
            bounds: None,
            description: String::new(),
            ..item.clone()
        };
        let flat = Item {
            depth: 0,
            ..item.clone()
        };
        let line = lines::line(&flat, None, inner.as_deref());
        let same = same(&item, &line);
        Self {
            item,
            inner,
            line,
            same,
        }
    }

    /// The same entry of another node.
    fn pass_on(&mut self, heir: Key) {
        self.item.key = heir;
        self.same = same(&self.item, &self.line);
    }

    /// Takes over what its control holds, unless more than that is different.
    fn hold(&mut self, now: &Self) {
        let rest = |states: &str| -> Vec<String> {
            let words = states
                .split(' ')
                .filter(|word| !word.is_empty() && !VALUES.contains(word));
            words.map(str::to_owned).collect()
        };
        let (was, is) = (
            place::without(&self.item.states),
            place::without(&now.item.states),
        );
        if self.item.role != now.item.role || rest(&was) != rest(&is) {
            return;
        }
        self.item.states.clone_from(&now.item.states);
        self.item.value.clone_from(&now.item.value);
        self.inner.clone_from(&now.inner);
        let flat = Item {
            depth: 0,
            ..self.item.clone()
        };
        self.line = lines::line(&flat, None, self.inner.as_deref());
        self.same = same(&self.item, &self.line);
    }

    /// Its node, and whether it is only the node's text.
    fn node(&self) -> Option<(Key, bool)> {
        (self.item.key.number > 0).then_some((self.item.key, self.item.kind == Kind::Text))
    }

    /// Whether it only groups what is in it.
    fn groups(&self) -> bool {
        let bare = self.item.name.is_empty() && self.item.value.is_empty() && self.inner.is_none();
        bare && matches!(self.item.kind, Kind::Plain | Kind::Region)
            && !URGENT.contains(&self.item.role.as_str())
    }

    fn urgent(&self) -> bool {
        URGENT.contains(&self.item.role.as_str())
            || self.item.states.split(' ').any(|word| word == "invalid")
    }

    /// Its line at a depth, with its ref. A part of the page has one only if it had one before.
    fn written(&self, depth: usize, refs: &mut Refs) -> String {
        let reference = match self.item.kind {
            Kind::Region => refs.of(self.item.key),
            kind if kind.has_ref() => Some(refs.number(&self.item)),
            _ => None,
        };
        let item = Item {
            depth,
            ..self.item.clone()
        };
        lines::line(&item, reference, self.inner.as_deref())
    }
}

fn same(item: &Item, line: &str) -> String {
    match item.kind {
        // Its place changes with what is around it.
        Kind::Control | Kind::Clickable | Kind::Frame => {
            let place = place::of(item);
            let line = line.replacen(&format!(" {place}"), "", usize::from(!place.is_empty()));
            format!("{}.{} {line}", item.key.world, item.key.number)
        }
        _ => line.to_owned(),
    }
}

/// Lines about one place.
struct ChangedPart {
    at: usize,
    urgent: bool,
    lines: Vec<String>,
}

struct Difference<'a> {
    old: &'a [Entry],
    new: &'a [Entry],
    ops: Vec<DiffOp>,
    /// Lines of nodes that were taken out somewhere.
    left: HashMap<(Key, bool), &'a str>,
    /// Nodes that were put in somewhere.
    arrived: BTreeSet<(u64, u32, bool)>,
    moved: usize,
    /// So many nodes went away here and there that they are told together.
    together: bool,
}

impl<'a> Difference<'a> {
    fn of(old: &'a [Entry], new: &'a [Entry]) -> Self {
        let words = |entries: &'a [Entry]| -> Vec<&'a str> {
            entries.iter().map(|entry| entry.same.as_str()).collect()
        };
        let deadline = Instant::now() + PATIENCE;
        let ops = similar::capture_diff_slices_deadline(
            Algorithm::Myers,
            &words(old),
            &words(new),
            Some(deadline),
        );
        let mut found = Self {
            old,
            new,
            ops,
            left: HashMap::new(),
            arrived: BTreeSet::new(),
            moved: 0,
            together: false,
        };
        for op in found.ops.iter().filter(|op| !is_equal(op)) {
            for entry in &old[op.old_range()] {
                if let Some(node) = entry.node() {
                    found.left.insert(node, &entry.line);
                }
            }
            for entry in &new[op.new_range()] {
                if let Some((key, text)) = entry.node() {
                    found.arrived.insert((key.world, key.number, text));
                }
            }
        }
        for op in found.ops.iter().filter(|op| !is_equal(op)) {
            let entries = new[op.new_range()].iter();
            let moved = entries.filter(|entry| found.was(entry) == Some(entry.line.as_str()));
            found.moved += moved.filter(|entry| !entry.groups()).count();
        }
        found.together = found.few().map(|gone| gone.len()).sum::<usize>() > SCATTERED;
        found
    }

    /// What went away, place by place, where that is not much.
    fn few(&self) -> impl Iterator<Item = Vec<&'a Entry>> {
        let changed = self.ops.iter().filter(|op| !is_equal(op));
        let gone = changed.map(|op| self.gone(op));
        gone.filter(|gone| gone.len() <= GONE)
    }

    /// What went away here and there, if it is told together.
    fn scattered(&self) -> Vec<&'a Entry> {
        match self.together {
            true => self.few().flatten().collect(),
            false => Vec::new(),
        }
    }

    fn gone(&self, op: &DiffOp) -> Vec<&'a Entry> {
        let old: &'a [Entry] = self.old;
        let gone = old[op.old_range()].iter();
        gone.filter(|entry| self.is_left(entry)).collect()
    }

    /// What the line of this entry was before.
    fn was(&self, entry: &Entry) -> Option<&str> {
        self.left.get(&entry.node()?).copied()
    }

    fn is_left(&self, entry: &Entry) -> bool {
        let arrived = entry
            .node()
            .is_some_and(|(key, text)| self.arrived.contains(&(key.world, key.number, text)));
        !arrived && !entry.groups()
    }

    fn places(&self, refs: &mut Refs) -> Vec<ChangedPart> {
        let mut places = Vec::new();
        for op in self.ops.iter().filter(|op| !is_equal(op)) {
            let mut gone = self.gone(op);
            if self.together && gone.len() <= GONE {
                gone.clear();
            }
            let came: Vec<&Entry> = self.new[op.new_range()]
                .iter()
                .filter(|entry| !entry.groups() && self.was(entry) != Some(entry.line.as_str()))
                .collect();
            let Some(first) = came.first().or(gone.first()) else {
                continue;
            };
            let range = op.new_range();
            let around = self.around(range.start, range.start, first.item.depth);
            let mut lines = Vec::new();
            if !gone.is_empty() {
                lines.extend(around.map(|around| format!("  {}", around.written(0, refs))));
                lines.extend(told_gone(&gone, usize::from(around.is_some()), refs));
            }
            let mut place =
                (!gone.is_empty()).then_some((around.map(Entry::node), first.item.depth));
            for (nth, entry) in self.new[range.clone()].iter().enumerate() {
                if entry.groups() || self.was(entry) == Some(entry.line.as_str()) {
                    continue;
                }
                let around = self.around(range.start, range.start + nth, entry.item.depth);
                let node = around.map(Entry::node);
                let base = match place {
                    Some((known, base)) if known == node => base.min(entry.item.depth),
                    _ => {
                        lines.extend(around.map(|around| format!("  {}", around.written(0, refs))));
                        entry.item.depth
                    }
                };
                place = Some((node, base));
                let depth = usize::from(around.is_some()) + entry.item.depth - base;
                let sign = if self.was(entry).is_some() { '~' } else { '+' };
                lines.push(format!("{sign} {}", entry.written(depth, refs)));
            }
            places.push(ChangedPart {
                at: range.start,
                urgent: came.iter().any(|entry| entry.urgent())
                    || around.is_some_and(Entry::urgent) && !came.is_empty(),
                lines,
            });
        }
        places
    }

    /// The nearest named node around an entry at a depth, among those before `start`.
    fn around(&self, start: usize, at: usize, mut depth: usize) -> Option<&Entry> {
        for (nth, entry) in self.new[..at].iter().enumerate().rev() {
            if entry.item.depth >= depth {
                continue;
            }
            depth = entry.item.depth;
            let told = !entry.groups() || entry.item.role == "main";
            if nth < start && entry.item.kind != Kind::Text && told {
                return Some(entry);
            }
            if depth == 0 {
                return None;
            }
        }
        None
    }
}

/// What went away: a line each, or one for all.
fn told_gone(gone: &[&Entry], inset: usize, refs: &mut Refs) -> Vec<String> {
    let line = |entry: &Entry, refs: &mut Refs| {
        let reference = refs.of(entry.item.key);
        let reference = reference.filter(|_| entry.item.kind.has_ref());
        let item = Item {
            depth: inset,
            ..entry.item.clone()
        };
        lines::line(&item, reference, entry.inner.as_deref())
    };
    if gone.len() <= GONE {
        let each = gone.iter();
        return each
            .map(|entry| format!("- {}", line(entry, refs)))
            .collect();
    }
    let pad = "  ".repeat(inset);
    let depth = gone[0].item.depth;
    if gone[1..].iter().all(|entry| entry.item.depth > depth) {
        let rest = szk_text::counted(gone.len() as u64 - 1, "line");
        return vec![format!("- {}, with {rest} in it", line(gone[0], refs))];
    }
    let mut roles: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in gone {
        *roles.entry(&entry.item.role).or_default() += 1;
    }
    let mut counts: Vec<(usize, &str)> = roles.into_iter().map(|(role, n)| (n, role)).collect();
    counts.sort_by(|a, b| b.cmp(a));
    let counts: Vec<String> = counts
        .iter()
        .map(|(count, role)| format!("{count} {role}"))
        .collect();
    let name = |entry: &&&Entry| {
        let text = entry.inner.as_deref().unwrap_or(&entry.item.name);
        (!text.is_empty()).then(|| szk_text::quoted(text, 40))
    };
    let (first, last) = (
        gone.iter().find_map(|entry| name(&entry)),
        gone.iter().rev().find_map(|entry| name(&entry)),
    );
    let names = match (first, last) {
        (Some(first), Some(last)) => format!(": {first} … {last}"),
        _ => String::new(),
    };
    vec![format!("- {pad}- (gone: {}{names})", counts.join(", "))]
}

fn is_equal(op: &DiffOp) -> bool {
    matches!(op, DiffOp::Equal { .. })
}

#[cfg(test)]
mod tests;
