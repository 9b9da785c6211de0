//! Finds the cookies that carry a login: as long as they last, so does the login.

use jiff::Timestamp;
use szk_runtime::state::Cookie;
use szk_store::{Login, LoginCookie, LoginRecipe};
use url::Url;

use super::attempt::CookieFingerprints;
use crate::context::Keeper;

/// Parts of the names of cookies that carry a login.
const CARRIERS: [&str; 10] = [
    "sess", "sid", "auth", "token", "login", "remember", "user", "account", "ident", "jwt",
];
/// Parts of the names of short-lived cookies.
const PASSING: [&str; 6] = ["csrf", "xsrf", "flash", "nonce", "state", "_ga"];

/// Remembers where the session is signed in; returns the site, or nothing if no cookie shows it.
pub(super) async fn remember(
    keeper: &Keeper,
    url: &str,
    cookies: &[Cookie],
    before: Option<&CookieFingerprints>,
    recipe: Option<LoginRecipe>,
) -> Option<String> {
    let host = host(url)?;
    let profile = keeper.session.profile();
    let known = profile.login_health(Timestamp::now()).unwrap_or_default();
    let lasting = known
        .iter()
        .any(|health| health.site == host && health.ended.is_none());
    if before.is_none() && lasting {
        return Some(host);
    }
    let carriers = carriers(&host, cookies, before);
    if carriers.is_empty() {
        return None;
    }
    let login = Login {
        recipe,
        site: host.clone(),
        since: Timestamp::now(),
        cookies: carriers
            .iter()
            .map(|cookie| LoginCookie {
                name: cookie.name.clone(),
                domain: cookie.domain.clone(),
            })
            .collect(),
    };
    // Logins are judged by the saved state: without saving, the login would look as if it had ended.
    if let Err(error) = keeper.session.save().await {
        tracing::warn!(%error, "cannot save the state after a login");
        return None;
    }
    match profile.remember_login(login) {
        Ok(()) => Some(host),
        Err(error) => {
            tracing::warn!(%error, "cannot remember a login");
            None
        }
    }
}

/// Cookies of the host that the login has set or changed; if there are none, all of its cookies. Those
/// hidden from scripts come first, then those named like a login.
fn carriers<'a>(
    host: &str,
    cookies: &'a [Cookie],
    before: Option<&CookieFingerprints>,
) -> Vec<&'a Cookie> {
    let here = |cookie: &&Cookie| {
        let domain = cookie.domain.trim_start_matches('.');
        host == domain || host.ends_with(&format!(".{domain}"))
    };
    let named = |cookie: &Cookie, words: &[&str]| {
        let name = cookie.name.to_ascii_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    let at_host: Vec<&Cookie> = cookies
        .iter()
        .filter(here)
        .filter(|cookie| !named(cookie, &PASSING))
        .collect();
    let only = |from: &[&'a Cookie], test: &dyn Fn(&Cookie) -> bool| -> Vec<&'a Cookie> {
        let some: Vec<&Cookie> = from.iter().copied().filter(|cookie| test(cookie)).collect();
        if some.is_empty() { from.to_vec() } else { some }
    };
    let brought = match before {
        Some(before) => only(&at_host, &|cookie| before.lacks(cookie)),
        None => at_host,
    };
    let hidden = only(&brought, &|cookie| cookie.http_only);
    only(&hidden, &|cookie| named(cookie, &CARRIERS))
}

/// The name of a cookie that the login has set or changed, on the page's host or on any.
pub(super) fn brought<'a>(
    url: &str,
    cookies: &'a [Cookie],
    before: &CookieFingerprints,
) -> Option<&'a str> {
    let host = host(url)?;
    let carriers = carriers(&host, cookies, Some(before));
    let new = carriers.into_iter().find(|cookie| before.lacks(cookie));
    let elsewhere = || cookies.iter().find(|c| c.http_only && before.lacks(c));
    new.or_else(elsewhere).map(|cookie| cookie.name.as_str())
}

/// The host of an `http` or `https` address.
pub(super) fn host(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url
        .host_str()
        .filter(|_| matches!(url.scheme(), "http" | "https"));
    host.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cookie(name: &str, domain: &str, hidden: bool) -> Cookie {
        serde_json::from_value(
            json!({"name": name, "value": "1", "domain": domain, "httpOnly": hidden}),
        )
        .unwrap()
    }

    #[track_caller]
    fn check(cookies: &[Cookie], before: Option<usize>, expected: &[&str]) {
        let before = before.map(|count| CookieFingerprints::of(&cookies[..count]));
        let found = carriers("www.x.test", cookies, before.as_ref());
        let names: Vec<&str> = found.iter().map(|cookie| cookie.name.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_login_is_recognised_by_the_cookies_it_set() {
        let cookies = [
            cookie("theme", "www.x.test", false),
            cookie("csrf_token", "www.x.test", true),
            cookie("sid", ".x.test", true),
            cookie("cart", "x.test", true),
            cookie("sid", "y.test", true),
        ];
        check(&cookies, Some(2), &["sid"]);
        check(&cookies, None, &["sid"]);
        check(&cookies[..2], Some(0), &["theme"]);
        check(&cookies[1..2], Some(0), &[]);
        // The same cookie now stands for a visitor who is signed in.
        check(&cookies[..3], Some(3), &["sid"]);
    }

    #[test]
    fn hosts() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        };
        check("http://a@x.test:80/b?c", Some("x.test"));
        check("https://[::1]:8/", Some("[::1]"));
        check("about:blank", None);
        check("file:///x", None);
    }
}
