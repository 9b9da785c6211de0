//! The key that identifies a cookie, and what was deleted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use szk_recovery as recovery;

use super::schema::Cookie;
use super::text::Text;

/// Identifies a cookie.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CookieKey {
    /// With its leading dot, if it has one.
    pub domain: String,
    /// Path.
    pub path: String,
    /// May be empty.
    pub name: String,
    /// The partition of a partitioned cookie: the site of the top-level page, and whether there is
    /// another site in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<(String, bool)>,
}

impl From<&Cookie> for CookieKey {
    fn from(cookie: &Cookie) -> Self {
        // Playwright omits the ancestor bit for some, and means true.
        let ancestor = cookie.has_cross_site_ancestor.unwrap_or(true);
        Self {
            domain: cookie.domain.clone(),
            path: cookie.path.clone(),
            name: cookie.name.clone(),
            partition: cookie.partition_key.clone().map(|site| (site, ancestor)),
        }
    }
}

/// Cookies by key.
#[must_use]
pub(crate) fn by_key(cookies: &[Cookie]) -> BTreeMap<CookieKey, Cookie> {
    cookies
        .iter()
        .map(|cookie| (cookie.into(), cookie.clone()))
        .collect()
}

/// Names that existed in one reading and not in the last one. Only names: a deleted login is not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deleted {
    /// Cookies, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<CookieKey>,
    /// Keys of localStorage by origin.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub local_storage: BTreeMap<String, Vec<Text>>,
}

impl Deleted {
    /// Whether nothing was deleted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Records the cookies of one reading that are missing in the next.
    pub fn note_cookies(&mut self, before: &[Cookie], after: &[Cookie]) {
        let keys = |cookies: &[Cookie]| cookies.iter().map(CookieKey::from).collect::<Vec<_>>();
        let (before, after) = (keys(before), keys(after));
        let mut gone = recovery::Gone::of(std::mem::take(&mut self.cookies));
        gone.note(&before, &after);
        self.cookies = gone.iter().cloned().collect();
    }

    /// The same for an origin's localStorage.
    pub fn note_items<'a>(
        &mut self,
        origin: &str,
        before: impl IntoIterator<Item = &'a Text>,
        after: impl IntoIterator<Item = &'a Text> + Clone,
    ) {
        let old = self.local_storage.remove(origin).unwrap_or_default();
        let mut gone = recovery::Gone::of(old);
        gone.note(before, after);
        if !gone.is_empty() {
            let names = gone.iter().cloned().collect();
            self.local_storage.insert(origin.to_owned(), names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies(names: &[&str]) -> Vec<Cookie> {
        let cookie = |name: &&str| {
            let json = serde_json::json!({"name": name, "value": "secret", "domain": "x.test"});
            serde_json::from_str(&json.to_string()).unwrap()
        };
        names.iter().map(cookie).collect()
    }

    #[test]
    fn only_names_are_remembered() {
        let mut deleted = Deleted::default();
        deleted.note_cookies(&cookies(&["a", "b"]), &cookies(&["b"]));
        let (one, two): (Text, Text) = ("one".into(), "two".into());
        deleted.note_items("https://x.test", [&one, &two], [&two]);
        let json = serde_json::to_string(&deleted).unwrap();
        assert_eq!(
            json,
            r#"{"cookies":[{"domain":"x.test","path":"/","name":"a"}],"localStorage":{"https://x.test":["one"]}}"#
        );
        assert_eq!(serde_json::from_str::<Deleted>(&json).unwrap(), deleted);
        deleted.note_cookies(&cookies(&["b"]), &cookies(&["a"]));
        deleted.note_items("https://x.test", [&two], [&one, &two]);
        assert_eq!(deleted.cookies[0].name, "b");
        assert!(deleted.local_storage.is_empty());
    }

    #[test]
    fn partitions_are_different_cookies() {
        let plain = cookies(&["a"]).remove(0);
        let partitioned = Cookie {
            partition_key: Some("https://top.test".into()),
            ..plain.clone()
        };
        assert_ne!(CookieKey::from(&plain), CookieKey::from(&partitioned));
        let same = Cookie {
            has_cross_site_ancestor: Some(true),
            ..partitioned.clone()
        };
        assert_eq!(CookieKey::from(&same), CookieKey::from(&partitioned));
    }
}
