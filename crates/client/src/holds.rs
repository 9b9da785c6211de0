//! What a profile holds, read from its last saved state. That needs no browser, and an open session
//! saves within seconds.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use szk_store::Profile;
use szk_tools::session::{Holds, SiteRow};

/// The parts of `state.json` that are counted. Values are skipped while reading.
#[derive(Debug, Default, Deserialize)]
struct Saved {
    #[serde(default)]
    cookies: Vec<Cookie>,
    #[serde(default)]
    origins: Vec<Origin>,
    #[serde(default)]
    szk: Option<Extras>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cookie {
    domain: String,
    #[serde(default)]
    expires: Option<f64>,
    #[serde(default)]
    partition_key: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    origin: String,
    #[serde(default)]
    local_storage: Vec<IgnoredAny>,
    #[serde(default, rename = "indexedDB")]
    indexed_db: Option<Vec<Database>>,
}

#[derive(Debug, Deserialize)]
struct Database {
    /// Usually text; unusual names are saved in another form.
    name: serde_json::Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extras {
    #[serde(default)]
    saved: Option<Timestamp>,
    #[serde(default)]
    tabs: Vec<IgnoredAny>,
    #[serde(default)]
    session_storage: Vec<Session>,
}

#[derive(Debug, Deserialize)]
struct Session {
    origin: String,
    #[serde(default)]
    items: Vec<IgnoredAny>,
}

/// What the profile holds, or why it is unknown.
pub(crate) fn of(profile: &Profile) -> (Option<Holds>, Option<String>) {
    let identity = match profile.meta() {
        Ok(Some(meta)) => shown(&meta.identity),
        _ => BTreeMap::new(),
    };
    match saved(profile) {
        Ok(saved) => {
            let holds = Holds {
                identity,
                ..counted(&saved)
            };
            (Some(holds), None)
        }
        Err(why) => (None, Some(why)),
    }
}

/// The last state, or the newest readable one before it.
fn saved(profile: &Profile) -> Result<Saved, String> {
    let read = |bytes: Option<Vec<u8>>| match bytes {
        Some(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| format!("cannot read its saved state: {error}")),
        None => Ok(Saved::default()),
    };
    let last = profile
        .read_state()
        .map_err(|error| error.to_string())
        .and_then(read);
    last.or_else(|why| {
        profile
            .older_states()
            .find_map(|older| read(Some(older)).ok())
            .ok_or(why)
    })
}

fn counted(saved: &Saved) -> Holds {
    let mut sites: BTreeMap<String, SiteRow> = BTreeMap::new();
    for cookie in &saved.cookies {
        add_cookie(row(&mut sites, &cookie.domain), cookie);
    }
    for origin in &saved.origins {
        let row = row(&mut sites, host(&origin.origin));
        row.local_storage += count(&origin.local_storage);
        let databases = origin.indexed_db.iter().flatten();
        row.databases.extend(databases.map(|database| {
            let name = database.name.as_str().map(str::to_owned);
            name.unwrap_or_else(|| database.name.to_string())
        }));
    }
    let extras = saved.szk.as_ref();
    for session in extras.iter().flat_map(|extras| &extras.session_storage) {
        row(&mut sites, host(&session.origin)).session_storage += count(&session.items);
    }
    Holds {
        saved: extras.and_then(|extras| extras.saved),
        sites: sites.into_values().collect(),
        tabs: extras.map_or(0, |extras| count(&extras.tabs)),
        identity: BTreeMap::new(),
    }
}

fn row<'a>(sites: &'a mut BTreeMap<String, SiteRow>, host: &str) -> &'a mut SiteRow {
    let host = host.trim_start_matches('.');
    let row = sites.entry(host.to_owned()).or_default();
    if row.site.is_empty() {
        host.clone_into(&mut row.site);
    }
    row
}

fn add_cookie(row: &mut SiteRow, cookie: &Cookie) {
    row.cookies += 1;
    row.partitioned += u32::from(cookie.partition_key.is_some());
    let expires = cookie.expires.filter(|seconds| *seconds > 0.0);
    let expires = expires.and_then(|seconds| Timestamp::from_second(seconds as i64).ok());
    let Some(at) = expires else {
        row.session_cookies += 1;
        return;
    };
    row.first_expiry = Some(row.first_expiry.map_or(at, |first| first.min(at)));
    row.last_expiry = Some(row.last_expiry.map_or(at, |last| last.max(at)));
}

/// `example.org:8080` of `https://example.org:8080`.
fn host(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// The identity as shown to people, without the proxy's user name and password.
fn shown(identity: &szk_config::Identity) -> BTreeMap<String, String> {
    let mut identity = identity.clone();
    let proxy = identity.proxy.take().map(|proxy| proxy.to_string());
    let fields = serde_json::to_value(identity).unwrap_or_default();
    let fields = fields.as_object().cloned().unwrap_or_default();
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    let fields = fields.into_iter().map(|(name, value)| (name, text(value)));
    fields
        .chain(proxy.map(|proxy| ("proxy".to_owned(), proxy)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counts_and_times_but_no_values() {
        let state = json!({
            "cookies": [
                {"name": "sid", "value": "s3cret", "domain": ".example.org", "path": "/", "expires": -1},
                {"name": "keep", "value": "s3cret", "domain": "example.org", "expires": 1_900_000_000.5},
                {"name": "far", "value": "s3cret", "domain": "example.org", "expires": 4_102_444_800.0},
                {"name": "__Host-p", "value": "s3cret", "domain": "cdn.test", "partitionKey": "https://a.test"},
            ],
            "origins": [{
                "origin": "https://example.org",
                "localStorage": [{"name": "a", "value": "s3cret"}, {"name": "b", "value": "s3cret"}],
                "indexedDB": [{"name": "mail", "version": 1, "stores": []}],
            }],
            "szk": {
                "version": 1,
                "saved": "2026-03-10T12:00:00Z",
                "tabs": [{"url": "https://example.org/"}],
                "sessionStorage": [{"tab": 0, "origin": "http://127.0.0.1:8080", "items": [{"name": "x", "value": "s3cret"}]}],
            },
        });
        let holds = counted(&serde_json::from_value(state).unwrap());
        let shown = serde_json::to_string_pretty(&holds).unwrap();
        assert!(!shown.contains("s3cret"), "{shown}");
        let names: Vec<&str> = holds.sites.iter().map(|row| row.site.as_str()).collect();
        assert_eq!(names, ["127.0.0.1:8080", "cdn.test", "example.org"]);
        let site = &holds.sites[2];
        assert_eq!(
            (site.cookies, site.session_cookies, site.local_storage),
            (3, 1, 2)
        );
        assert_eq!(site.databases, ["mail"]);
        assert_eq!(
            site.first_expiry,
            Timestamp::from_second(1_900_000_000).ok()
        );
        assert_eq!(site.last_expiry, Timestamp::from_second(4_102_444_800).ok());
        assert_eq!(
            (holds.sites[1].partitioned, holds.sites[0].session_storage),
            (1, 1)
        );
        assert_eq!(holds.tabs, 1);
    }

    #[test]
    fn files_of_other_tools_lack_some_fields() {
        let holds = counted(&serde_json::from_value(json!({})).unwrap());
        assert_eq!(holds, Holds::default());
    }
}
