//! Serialises a state in a fixed order, so that equal states are recognised.

use std::cmp::Ordering;

use sha2::{Digest as _, Sha256};

use super::schema::{Cookie, StorageState};

/// Identifies the content of a state, except for when it was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl StorageState {
    /// Sorts everything whose order has no meaning. Records and tabs keep theirs.
    pub fn sort(&mut self) {
        self.cookies.sort_by(by_place);
        self.origins.sort_by(|a, b| a.origin.cmp(&b.origin));
        for origin in &mut self.origins {
            origin.local_storage.sort();
            for database in origin.indexed_db.iter_mut().flatten() {
                database.stores.sort_by(|a, b| a.name.cmp(&b.name));
                for store in &mut database.stores {
                    store.indexes.sort_by(|a, b| a.name.cmp(&b.name));
                }
            }
            if let Some(databases) = &mut origin.indexed_db {
                databases.sort_by(|a, b| a.name.cmp(&b.name));
            }
        }
        if let Some(extras) = &mut self.szk {
            extras
                .session_storage
                .sort_by(|a, b| (a.tab, &a.origin).cmp(&(b.tab, &b.origin)));
            for storage in &mut extras.session_storage {
                storage.items.sort();
            }
        }
    }

    /// The bytes of the file; see [`StorageState::sort`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with string keys and text that was JSON before always serialise.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Equal for states with equal content, whatever their time and order.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut content = self.clone();
        content.sort();
        if let Some(extras) = &mut content.szk {
            extras.saved = jiff::Timestamp::UNIX_EPOCH;
        }
        Digest(Sha256::digest(content.to_bytes()).into())
    }
}

fn by_place(a: &Cookie, b: &Cookie) -> Ordering {
    let place = |cookie: &Cookie| {
        let Cookie {
            domain,
            path,
            name,
            partition_key,
            has_cross_site_ancestor,
            ..
        } = cookie.clone();
        (domain, path, name, partition_key, has_cross_site_ancestor)
    };
    place(a).cmp(&place(b))
}

#[cfg(test)]
mod tests {
    use super::super::load::load;
    use super::*;

    fn state(json: &str) -> StorageState {
        load(json.as_bytes()).unwrap().state
    }

    #[test]
    fn order_and_time_do_not_count() {
        let one = state(
            r#"{"cookies":[{"name":"a","value":"1","domain":"x"},{"name":"b","value":"2","domain":"x"}],
            "origins":[{"origin":"https://x","localStorage":[{"name":"k","value":"1"},{"name":"j","value":"2"}]}],
            "szk":{"version":1,"saved":"2026-01-01T00:00:00Z","clean":false}}"#,
        );
        let other = state(
            r#"{"cookies":[{"name":"b","value":"2","domain":"x"},{"name":"a","value":"1","domain":"x"}],
            "origins":[{"origin":"https://x","localStorage":[{"name":"j","value":"2"},{"name":"k","value":"1"}]}],
            "szk":{"version":1,"saved":"2026-02-02T00:00:00Z","clean":false}}"#,
        );
        assert_eq!(one.digest(), other.digest());
    }

    #[test]
    fn content_counts() {
        let one = state(r#"{"cookies":[{"name":"a","value":"1","domain":"x"}]}"#);
        for other in [
            r#"{"cookies":[{"name":"a","value":"2","domain":"x"}]}"#,
            r#"{"cookies":[{"name":"a","value":"1","domain":"x","partitionKey":"https://y"}]}"#,
            r#"{"cookies":[{"name":"a","value":"1","domain":"x"}],"szk":{"version":1,"saved":"2026-01-01T00:00:00Z","tabs":[{"url":"https://x"}]}}"#,
            r#"{"cookies":[{"name":"a","value":"1","domain":"x"}],"szk":{"version":1,"saved":"2026-01-01T00:00:00Z","clean":true}}"#,
            r#"{"cookies":[]}"#,
        ] {
            assert_ne!(one.digest(), state(other).digest(), "{other}");
        }
    }
}
