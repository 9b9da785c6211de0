//! Updates a saved state with what was just read.

use std::collections::BTreeSet;

use super::capture::OriginStorage;
use super::schema::{Item, OriginState, StorageState};
use super::text::Text;

impl OriginState {
    /// Whether it contains nothing to restore.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.local_storage.is_empty() && self.indexed_db.as_ref().is_none_or(Vec::is_empty)
    }
}

impl StorageState {
    /// Adds localStorage that was found in a browser but was unknown, so that its deletion is noticed
    /// later. Known entries stay as they are.
    pub fn add_found(&mut self, origins: Vec<(String, Vec<Item>)>) {
        for (name, items) in origins {
            let Some(origin) = self.origins.iter_mut().find(|known| known.origin == name) else {
                continue;
            };
            let known = origin.local_storage.iter().map(|item| item.name.clone());
            let known: BTreeSet<Text> = known.collect();
            let new = items.into_iter().filter(|item| !known.contains(&item.name));
            origin.local_storage.extend(new);
        }
    }

    /// Takes over the reading of an origin. What was not read stays as it was: other origins, databases
    /// that could not be opened, and all databases if none were requested.
    pub fn absorb(&mut self, read: OriginStorage) {
        let OriginStorage {
            mut state, unread, ..
        } = read;
        let before = match self
            .origins
            .iter()
            .position(|origin| origin.origin == state.origin)
        {
            Some(index) => self.origins.swap_remove(index),
            None => OriginState::default(),
        };
        state.opfs = state.opfs.or(before.opfs);
        match &mut state.indexed_db {
            None => state.indexed_db = before.indexed_db,
            Some(databases) => {
                let old = before.indexed_db.into_iter().flatten();
                databases.extend(old.filter(|database| unread.contains(&database.name)));
            }
        }
        if !state.is_empty() || state.opfs.is_some() {
            self.origins.push(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::load;
    use super::*;

    fn origin(json: &str) -> OriginState {
        serde_json::from_str(json).unwrap()
    }

    fn check(before: &str, read: &str, unread: &[&str], expected: &str) {
        let mut state =
            load(format!(r#"{{"origins":[{{"origin":"https://other"}},{before}]}}"#).as_bytes())
                .unwrap()
                .state;
        state.absorb(OriginStorage {
            state: origin(read),
            session_storage: vec![],
            unread: unread.iter().map(|name| (*name).into()).collect(),
            warnings: vec![],
        });
        state.sort();
        let seen: Vec<_> = state
            .origins
            .iter()
            .skip(1)
            .map(|origin| serde_json::to_string(origin).unwrap())
            .collect();
        assert_eq!(seen.join(" "), expected);
    }

    #[test]
    fn a_reading_replaces_earlier_knowledge() {
        let one = r#"{"origin":"https://x","localStorage":[{"name":"a","value":"1"}]}"#;
        let two = r#"{"origin":"https://x","localStorage":[{"name":"b","value":"1"}]}"#;
        check(one, two, &[], two);
        check(one, r#"{"origin":"https://x","localStorage":[]}"#, &[], "");
    }

    #[test]
    fn databases_that_were_not_read_stay() {
        let known = r#"{"origin":"https://x","localStorage":[],"indexedDB":[{"name":"a","version":1,"stores":[]},{"name":"b","version":1,"stores":[]}]}"#;
        check(known, r#"{"origin":"https://x"}"#, &[], known);
        let some = r#"{"origin":"https://x","localStorage":[],"indexedDB":[{"name":"a","version":1,"stores":[]}]}"#;
        check(
            known,
            r#"{"origin":"https://x","indexedDB":[]}"#,
            &["a"],
            some,
        );
        check(known, r#"{"origin":"https://x","indexedDB":[]}"#, &[], "");
    }

    #[test]
    fn private_files_are_carried_along() {
        let known = r#"{"origin":"https://x","localStorage":[],"opfs":[1]}"#;
        check(known, r#"{"origin":"https://x"}"#, &[], known);
    }
}
