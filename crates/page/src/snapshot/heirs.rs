//! Refs that go on with a new node: frameworks replace nodes by others that are the same to everybody.

use std::collections::{HashMap, HashSet};

use super::item::{Item, Key, Kind};
use super::past::{Document, page};
use super::place;

/// Roles that say where something is, in every mode that lists places.
const PLACES: [&str; 14] = [
    "alertdialog",
    "banner",
    "complementary",
    "contentinfo",
    "dialog",
    "form",
    "grid",
    "iframe",
    "main",
    "menu",
    "navigation",
    "region",
    "search",
    "tabpanel",
];

/// Most controls to remember: a page may make new ones for ever.
const MOST: usize = 20_000;

/// What a control, or whatever else can be clicked, is to a person: document, role, name, and the places it is in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Identity {
    /// The frame's document, or `None` for that of the page.
    frame: Option<Part>,
    role: String,
    name: String,
    place: Vec<String>,
}

/// The document of a frame.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Part {
    world: u64,
    /// Without what follows a `#`.
    url: String,
}

/// The controls of the last reading that nothing else on the page could be taken for.
#[derive(Debug, Default)]
pub(super) struct Controls(HashMap<Key, Identity>);

impl Controls {
    /// Those of a reading of the whole page: its own document comes first, then those of its frames.
    pub(super) fn of(items: &[Item], documents: &[Document]) -> Self {
        let parts = documents.iter().skip(1);
        let parts: HashMap<u64, &str> = parts.map(|part| (part.world, page(&part.url))).collect();
        let mut all: HashMap<Identity, Option<Key>> = HashMap::new();
        let mut around: Vec<&Item> = Vec::new();
        for item in items {
            around.retain(|outer| outer.depth < item.depth);
            let works = matches!(item.kind, Kind::Control | Kind::Clickable);
            // What nothing names goes by what is next to it.
            let name = match item.name.as_str() {
                "" => place::near(item).map_or_else(String::new, |_| place::of(item)),
                name => name.to_owned(),
            };
            if works && !name.is_empty() {
                let identity = Identity {
                    frame: parts.get(&item.key.world).map(|url| Part {
                        world: item.key.world,
                        url: (*url).to_owned(),
                    }),
                    role: item.role.clone(),
                    name,
                    place: around
                        .iter()
                        .map(|outer| format!("{} {}", outer.role, outer.name))
                        .collect(),
                };
                // A second one of the same identity: neither can be told from the other.
                all.entry(identity)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(item.key));
            }
            if PLACES.contains(&item.role.as_str()) {
                around.push(item);
            }
        }
        let only = all.into_iter();
        Self(
            only.filter_map(|(identity, key)| Some((key?, identity)))
                .collect(),
        )
    }

    /// Nodes that are not in the newer reading, each with the one that stands there in its stead. Whether
    /// the old ones are gone or only hidden is for the caller to find out.
    pub(super) fn heirs(&self, newer: &Self) -> Vec<(Key, Key)> {
        let came: HashMap<&Identity, Key> = newer
            .0
            .iter()
            .filter(|(key, _)| !self.0.contains_key(key))
            .map(|(key, identity)| (identity, *key))
            .collect();
        let gone = self.0.iter().filter(|(key, _)| !newer.0.contains_key(key));
        let mut heirs: Vec<(Key, Key)> = gone
            .filter_map(|(key, identity)| Some((*key, *came.get(identity)?)))
            .collect();
        heirs.sort_by_key(|(old, _)| (old.world, old.number));
        heirs
    }

    /// The same between a document and the one that was loaded in its stead from the same address.
    pub(super) fn heirs_anew(&self, newer: &Self) -> Vec<(Key, Key)> {
        let (left, came) = (self.wherever(), newer.wherever());
        let mut heirs: Vec<(Key, Key)> = left
            .into_iter()
            .filter_map(|(identity, old)| Some((old?, (*came.get(&identity)?)?)))
            .filter(|(old, _)| !newer.0.contains_key(old))
            .collect();
        heirs.sort_by_key(|(old, _)| (old.world, old.number));
        heirs
    }

    /// By identities that last longer than the documents of frames; `None` for what is not the only one.
    fn wherever(&self) -> HashMap<Identity, Option<Key>> {
        let mut all: HashMap<Identity, Option<Key>> = HashMap::new();
        for (key, identity) in &self.0 {
            let mut identity = identity.clone();
            if let Some(part) = &mut identity.frame {
                part.world = 0;
            }
            all.entry(identity)
                .and_modify(|known| *known = None)
                .or_insert(Some(*key));
        }
        all
    }

    /// Whether this node is one of them.
    pub(super) fn has(&self, key: Key) -> bool {
        self.0.contains_key(&key)
    }

    /// Those of one document.
    pub(super) fn within(&self, world: u64) -> Self {
        let own = self.0.iter().filter(|(key, _)| key.world == world);
        Self(own.map(|(key, one)| (*key, one.clone())).collect())
    }

    /// Adds others.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Forgets nodes that others stand in for.
    pub(super) fn forget(&mut self, replaced: &[(Key, Key)]) {
        for (old, _) in replaced {
            self.0.remove(old);
        }
    }

    /// Takes over what a newer reading did not see: hidden controls may come back.
    pub(super) fn followed_by(self, mut newer: Self, replaced: &[(Key, Key)]) -> Self {
        let worlds: HashSet<u64> = newer.0.keys().map(|key| key.world).collect();
        let taken: HashSet<Identity> = newer.0.values().cloned().collect();
        for (key, identity) in self.0 {
            let lives = worlds.contains(&key.world) && !taken.contains(&identity);
            if newer.0.len() < MOST && lives && !replaced.iter().any(|(old, _)| *old == key) {
                newer.0.entry(key).or_insert(identity);
            }
        }
        newer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controls(report: &str) -> Controls {
        Controls::of(&Item::read_all(1, report), &[])
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(u32, u32)]) {
        let heirs = controls(old).heirs(&controls(new));
        let heirs: Vec<(u32, u32)> = heirs.iter().map(|(a, b)| (a.number, b.number)).collect();
        assert_eq!(heirs, expected);
    }

    #[test]
    fn the_only_one_of_its_role_name_and_place_goes_on() {
        let page = |a: u32, b: u32| {
            format!(
                "0\tform\t1\t\tLogin\t\t\t\n1\tbutton\t{a}\ti\tSend\t\t\t\n0\tform\t2\t\tSearch\t\t\t\n1\tbutton\t{b}\ti\tSend\t\t\t"
            )
        };
        check(&page(3, 4), &page(5, 6), &[(3, 5), (4, 6)]);
        check(&page(3, 4), &page(3, 6), &[(4, 6)]);
        check(&page(3, 4), &page(3, 4), &[]);
        // What has no name goes by the text next to it, but not by its number alone.
        let nameless = |number, place| format!("0\tbutton\t{number}\ti\t\t{place}\t\t");
        let (milk, bread) = ("near=Milk nth=1/2", "near=Bread nth=1/2");
        check(&nameless(1, milk), &nameless(2, milk), &[(1, 2)]);
        check(&nameless(1, milk), &nameless(2, bread), &[]);
        check(&nameless(1, "nth=1/2"), &nameless(2, "nth=1/2"), &[]);
        // What works by a listener only, such as the arrow of a date picker.
        check(
            "0\tgeneric\t1\tc\tNext\t\t\t",
            "0\tgeneric\t2\tc\tNext\t\t\t",
            &[(1, 2)],
        );
    }

    #[test]
    fn what_could_be_another_does_not() {
        // Rows: one Delete may be that of another row.
        check(
            "0\tbutton\t1\ti\tDelete\t\t\t\n0\tbutton\t2\ti\tDelete\t\t\t",
            "0\tbutton\t3\ti\tDelete\t\t\t",
            &[],
        );
        check(
            "0\tbutton\t1\ti\tDelete\t\t\t",
            "0\tbutton\t3\ti\tDelete\t\t\t\n0\tbutton\t4\ti\tDelete\t\t\t",
            &[],
        );
        // Another role, another name, no name.
        check("0\tbutton\t1\ti\tGo\t\t\t", "0\tlink\t2\ti\tGo\t\t\t", &[]);
        check(
            "0\tbutton\t1\ti\tGo\t\t\t",
            "0\tbutton\t2\ti\tGone\t\t\t",
            &[],
        );
        check("0\tbutton\t1\ti\t\t\t\t", "0\tbutton\t2\ti\t\t\t\t", &[]);
    }

    #[test]
    fn a_control_that_was_hidden_in_between_is_remembered() {
        let first = controls("0\tbutton\t1\ti\tGo\t\t\t\n0\tlink\t2\ti\tx\t\t\t");
        let hidden = first.followed_by(controls("0\tlink\t2\ti\tx\t\t\t"), &[]);
        let again = controls("0\tbutton\t3\ti\tGo\t\t\t\n0\tlink\t2\ti\tx\t\t\t");
        assert_eq!(hidden.heirs(&again).len(), 1);
        let other = hidden.followed_by(again, &[]);
        assert_eq!(other.0.len(), 2);
    }
}
