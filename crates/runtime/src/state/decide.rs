//! What of a saved state to write into the browser: decided by `szk_recovery`, in terms of a state.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use szk_recovery::{Chromium, Gone, Known, Millis, Plan, Truth, plan};

use super::key::{CookieKey, by_key};
use super::schema::{Cookie, Database, Item, OriginState, StorageState};
use super::text::Text;

/// What to do to the cookies of a browser.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CookiePlan {
    /// Set these, replacing those with the same key.
    pub set: Vec<Cookie>,
    /// Remove these.
    pub remove: Vec<Cookie>,
}

/// Decides about cookies: the browser has those that are `present`, and `changed` holds the times of
/// changes from Chromium's file.
/// when they were `changed`.
#[must_use]
pub fn cookies_to_restore(
    saved: &StorageState,
    present: &[Cookie],
    changed: &BTreeMap<CookieKey, Millis>,
    truth: Truth,
    now: Timestamp,
) -> CookiePlan {
    let now = now.as_duration().as_secs_f64();
    let lasts = |cookie: &&Cookie| cookie.is_session() || cookie.expires > now;
    let valid: Vec<Cookie> = saved.cookies.iter().filter(lasts).cloned().collect();
    let (items, there) = (by_key(&valid), by_key(present));
    let extras = saved.szk.as_ref();
    let gone = Gone::of(
        extras
            .into_iter()
            .flat_map(|extras| extras.deleted.cookies.clone()),
    );
    let Plan { set, remove } = plan(
        truth,
        Known {
            items: &items,
            gone: &gone,
            read: extras.map(|extras| extras.saved.as_millisecond()),
        },
        &Chromium {
            items: &there,
            changed: &|key| changed.get(key).copied(),
            fleeting: &Cookie::is_session,
        },
    );
    CookiePlan {
        set: set.into_iter().map(|(_, cookie)| cookie).collect(),
        remove: remove
            .iter()
            .filter_map(|key| there.get(key).cloned())
            .collect(),
    }
}

/// What an origin has in the browser before the restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PresentOrigin {
    /// localStorage.
    pub items: Vec<Item>,
    /// Names of its databases.
    pub databases: BTreeSet<Text>,
}

/// What to do to the storage of an origin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OriginPlan<'a> {
    /// Entries of localStorage to set.
    pub set: Vec<Item>,
    /// Entries of localStorage to remove.
    pub remove: Vec<Text>,
    /// Databases to create, or to add records to. No database is ever cleared, because it may contain
    /// things that a saved state cannot hold.
    pub databases: Vec<&'a Database>,
}

impl OriginPlan<'_> {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty() && self.databases.is_empty()
    }
}

/// Decides about the storage of an origin. Chromium writes databases at once, so its files are right
/// about them after every exit; saved ones only replace databases that are missing altogether.
#[must_use]
pub fn origin_to_restore<'a>(
    saved: &'a OriginState,
    deleted: &[Text],
    present: &PresentOrigin,
    truth: Truth,
) -> OriginPlan<'a> {
    let table = |items: &[Item]| -> BTreeMap<Text, Text> {
        let pairs = items
            .iter()
            .map(|item| (item.name.clone(), item.value.clone()));
        pairs.collect()
    };
    let (items, there) = (table(&saved.local_storage), table(&present.items));
    let Plan { set, remove } = plan(
        truth,
        Known {
            items: &items,
            gone: &Gone::of(deleted.iter().cloned()),
            read: None,
        },
        &Chromium {
            items: &there,
            changed: &|_| None,
            fleeting: &|_| false,
        },
    );
    let databases = saved
        .indexed_db
        .iter()
        .flatten()
        .filter(|database| match truth {
            Truth::Nothing => true,
            Truth::Files => false,
            Truth::Reading | Truth::Later => !present.databases.contains(&database.name),
        });
    OriginPlan {
        set: set
            .into_iter()
            .map(|(name, value)| Item { name, value })
            .collect(),
        remove,
        databases: databases.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Deleted, Extras};

    fn cookie(name: &str, value: &str, expires: f64) -> Cookie {
        let json = serde_json::json!({"name": name, "value": value, "domain": "x.test", "expires": expires});
        serde_json::from_str(&json.to_string()).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[track_caller]
    fn check(truth: Truth, set: &[&str], remove: &[&str]) {
        let present = [
            cookie("session", "new", -1.0),
            cookie("kept", "committed", 2000.0),
            cookie("logged-out", "old", 2000.0),
            cookie("unknown", "1", 2000.0),
        ];
        let mut extras = Extras::new(at(1000));
        extras.deleted = Deleted {
            cookies: vec![(&present[2]).into()],
            ..Deleted::default()
        };
        let saved = StorageState {
            cookies: vec![
                cookie("session", "read", -1.0),
                cookie("session-lost", "read", -1.0),
                cookie("kept", "read", 2000.0),
                cookie("kept-lost", "read", 2000.0),
                cookie("over", "read", 999.0),
            ],
            szk: Some(extras),
            ..StorageState::default()
        };
        let changed = BTreeMap::from([((&present[1]).into(), 999_000)]);
        let plan = cookies_to_restore(&saved, &present, &changed, truth, at(1000));
        let names = |cookies: &[Cookie]| -> Vec<String> {
            cookies.iter().map(|cookie| cookie.name.clone()).collect()
        };
        assert_eq!(names(&plan.set), set, "{truth:?}");
        assert_eq!(names(&plan.remove), remove, "{truth:?}");
    }

    #[test]
    fn cookies_follow_the_trusted_source() {
        let all = ["kept", "kept-lost", "session", "session-lost"];
        check(Truth::Nothing, &all, &[]);
        check(Truth::Files, &["session-lost"], &[]);
        check(Truth::Reading, &all, &["logged-out"]);
        check(Truth::Later, &["kept", "kept-lost", "session-lost"], &[]);
    }

    #[test]
    fn an_existing_database_is_left_alone_after_every_exit() {
        let saved: OriginState = serde_json::from_str(
            r#"{"origin":"https://x","localStorage":[{"name":"a","value":"1"}],"indexedDB":[{"name":"d","version":1,"stores":[]},{"name":"e","version":1,"stores":[]}]}"#,
        )
        .unwrap();
        let present = PresentOrigin {
            items: vec![Item {
                name: "b".into(),
                value: "1".into(),
            }],
            databases: BTreeSet::from(["d".into()]),
        };
        for (truth, set, remove, databases) in [
            (Truth::Nothing, 1, 0, vec!["d", "e"]),
            (Truth::Files, 0, 0, vec![]),
            (Truth::Reading, 1, 1, vec!["e"]),
            (Truth::Later, 1, 0, vec!["e"]),
        ] {
            let plan = origin_to_restore(&saved, &["b".into()], &present, truth);
            let names: Vec<_> = plan
                .databases
                .iter()
                .map(|d| d.name.to_str().into_owned())
                .collect();
            assert_eq!(
                (plan.set.len(), plan.remove.len(), names),
                (
                    set,
                    remove,
                    databases.iter().map(|d| (*d).to_owned()).collect()
                ),
                "{truth:?}"
            );
        }
    }
}
