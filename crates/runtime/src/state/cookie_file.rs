//! Reads Chromium's cookie file, while no browser has it open.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use szk_recovery::Millis;

use super::key::CookieKey;
use super::schema::Cookie;

/// Longest file to read; thousands of cookies are a few megabytes.
const LONGEST: u64 = 64 << 20;

/// A cookie that expires within this many seconds may be gone from the file.
const OVER: f64 = 60.0;

/// When each persistent cookie in the file was last changed; `None` if the file does not say.
#[must_use]
pub fn cookie_times(user_data_dir: &Path) -> Option<BTreeMap<CookieKey, Millis>> {
    let profile = user_data_dir.join("Default");
    let file = ["Cookies", "Network/Cookies"]
        .iter()
        .map(|name| profile.join(name))
        .find(|file| fs::metadata(file).is_ok_and(|meta| meta.is_file()))?;
    if fs::metadata(&file).is_ok_and(|meta| meta.len() > LONGEST) {
        return None;
    }
    let changes = szk_browsers::changes(&file)
        .inspect_err(|error| tracing::debug!(%error, "Chromium's cookies have no times"))
        .ok()?;
    let times = changes.into_iter().map(|cookie| {
        let key = CookieKey {
            domain: cookie.domain,
            path: cookie.path,
            name: cookie.name,
            partition: cookie.partition,
        };
        (key, cookie.changed)
    });
    Some(times.collect())
}

/// Whether the file has all of these cookies as of the last reading. For those that had changed,
/// `unchanged` says when they had not yet.
#[must_use]
pub fn are_written(
    cookies: &[Cookie],
    times: Option<&BTreeMap<CookieKey, Millis>>,
    unchanged: &BTreeMap<CookieKey, Timestamp>,
    now: Timestamp,
) -> bool {
    let soon = now.as_duration().as_secs_f64() + OVER;
    let is_written = |cookie: &Cookie| {
        let key = CookieKey::from(cookie);
        let Some(written) = times.and_then(|times| times.get(&key)) else {
            return false;
        };
        let since = unchanged.get(&key);
        since.is_none_or(|since| *written >= since.as_millisecond())
    };
    cookies
        .iter()
        .all(|cookie| cookie.is_session() || cookie.expires < soon || is_written(cookie))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_older_cookies_were_not_written() {
        let cookie = |name: &str, expires: f64| -> Cookie {
            let json = serde_json::json!({"name": name, "value": "1", "domain": "x.test", "expires": expires});
            serde_json::from_str(&json.to_string()).unwrap()
        };
        let at = |second| Timestamp::from_second(second).unwrap();
        let cookies = [
            cookie("a", 9000.0),
            cookie("s", -1.0),
            cookie("over", 1030.0),
        ];
        let a = CookieKey::from(&cookies[0]);
        let check = |written: Option<i64>, unchanged: Option<i64>, expected: bool| {
            let times = written.map(|ms| BTreeMap::from([(a.clone(), ms)]));
            let unchanged = unchanged.map(|second| (a.clone(), at(second)));
            let unchanged = unchanged.into_iter().collect();
            let found = are_written(&cookies, times.as_ref(), &unchanged, at(1000));
            assert_eq!(found, expected, "{written:?} {unchanged:?}");
        };
        check(None, None, false);
        check(Some(5000), None, true);
        check(Some(5000), Some(5), true);
        check(Some(5000), Some(6), false);
        assert!(are_written(&cookies[1..], None, &BTreeMap::new(), at(1000)));
    }
}
