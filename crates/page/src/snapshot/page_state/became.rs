//! What controls became, as recipes can expect it.

use std::collections::HashMap;

use szk_recipes::{State, Thing};

use super::{Entry, PageState};
use crate::snapshot::item::{Key, Kind};

/// Controls that are noted to be in another state.
const MOST: usize = 30;

impl PageState {
    /// Controls that are there still and are in another state, or hold something else, with what is different of
    /// them.
    pub(in crate::snapshot) fn became(&self, now: &Self) -> Vec<Thing> {
        let state = |entry: &Entry| State::of_words(&entry.item.states, &entry.item.value);
        // A text has the number of what it is in.
        let before = self.entries.iter();
        let before = before.filter(|entry| entry.item.kind != Kind::Text);
        let before: HashMap<Key, &Entry> = before.map(|entry| (entry.item.key, entry)).collect();
        let controls = now.entries.iter().filter(|entry| {
            let item = &entry.item;
            item.kind == Kind::Control && item.key.number > 0
        });
        let changed = controls.filter_map(|entry| {
            let state = state(entry).since(&state(before.get(&entry.item.key)?));
            (!state.is_empty()).then(|| Thing {
                role: entry.item.role.clone(),
                name: entry.item.name.clone(),
                state,
            })
        });
        changed.take(MOST).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::item::Item;
    use crate::snapshot::options::Mode;

    #[test]
    fn controls_that_stay_and_change_are_noted() {
        let told = |report: &str| PageState::of(Mode::Full, Item::read_all(1, report));
        let before = told(
            "0\tcombobox\t1\ti\tCity\texpanded\tGraz\t\n1\ttext\t1\tt\tGraz\t\t\t\n0\ttab\t2\ti\tOne\tselected\t\t\n0\ttab\t3\ti\tTwo\t\t\t\n0\tbutton\t4\ti\tGo\t\t\t",
        );
        let now = told(
            "0\tcombobox\t1\ti\tCity\tcollapsed\tLinz\t\n0\ttab\t2\ti\tOne\t\t\t\n0\ttab\t3\ti\tTwo\tselected\t\t\n0\tbutton\t4\ti\tStop\t\t\t\n0\tcheckbox\t5\ti\tNew\tchecked\t\t",
        );
        let words: Vec<String> = before.became(&now).iter().map(Thing::words).collect();
        let expected = [
            "combobox \"City\", not expanded, holding \"Linz\"",
            "tab \"One\", not selected",
            "tab \"Two\", selected",
        ];
        assert_eq!(words, expected);
        assert!(now.became(&now).is_empty());
    }
}
