//! What Chromium's own file says of its cookies. It is asked while no browser has the file open.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use szk_recovery::Millis;

use super::key::CookieKey;

/// Longest file that is read; thousands of cookies are a few megabytes.
const LONGEST: u64 = 64 << 20;

/// When each persistent cookie in the file of a user data directory was last changed; `None` when the
/// file does not say.
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
