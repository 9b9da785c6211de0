//! Cookies of the browser's own context: `Storage.getCookies` and `Storage.setCookies`.
//!
//! Parsed one by one with types of our own, so that no cookie is lost because a newer Chromium has
//! another kind of priority.

use std::collections::BTreeSet;

use serde::Deserialize;
use szk_cdp::own::{CookieParam, SetCookiesParams};
use szk_cdp::protocol::network::CookiePartitionKey;
use szk_cdp::protocol::storage::GetCookiesParams;
use szk_cdp::{CallError, Connection};

use super::schema::{Cookie, SameSite};
use super::text::Json;
use super::warning::Warning;

/// Maximum number of pending commands while cookies are set one by one.
const TOGETHER: usize = 256;

/// All cookies of all sites and partitions, except for those of opaque partitions, which cannot be set
/// again and end with their page.
///
/// # Errors
/// [`CallError`] if the browser did not answer.
pub async fn capture_cookies(connection: &Connection) -> Result<Vec<Cookie>, CallError> {
    let asked: Result<Jar, _> = connection.ask(None, &GetCookiesParams::default()).await;
    let jar = match asked {
        // If the whole answer is unreadable, the protocol itself has changed: then there are none.
        Err(CallError::Unreadable { .. }) => Jar::default(),
        asked => asked?,
    };
    Ok(jar
        .cookies
        .iter()
        .filter_map(|cookie| read(cookie.get()))
        .collect())
}

/// Sets cookies, replacing those with the same key. Each cookie that Chromium refuses becomes one
/// warning.
///
/// Chromium also accepts some that it then does not keep, such as expired ones.
pub async fn restore_cookies(connection: &Connection, cookies: &[Cookie]) -> Vec<Warning> {
    put_cookies(connection, cookies).await.refused
}

/// The result of setting cookies.
#[derive(Default)]
pub(crate) struct CookiesPut {
    /// The cookies that Chromium accepted, which it may drop nevertheless: see [`CookiesPut::kept`].
    pub(crate) accepted: Vec<Cookie>,
    /// Why it did not accept the others.
    pub(crate) refused: Vec<Warning>,
}

/// [`restore_cookies`], which also returns what was accepted.
pub(crate) async fn put_cookies(connection: &Connection, cookies: &[Cookie]) -> CookiesPut {
    if cookies.is_empty() {
        return CookiesPut::default();
    }
    match set(connection, cookies).await {
        Ok(()) => CookiesPut {
            accepted: cookies.to_vec(),
            refused: Vec::new(),
        },
        // If one cookie of a batch is refused, none of the batch is set.
        Err(CallError::Remote { .. }) => one_by_one(connection, cookies).await,
        Err(error) => CookiesPut {
            accepted: Vec::new(),
            refused: vec![Warning::new(
                match cookies.len() {
                    1 => "1 cookie".to_owned(),
                    all => format!("{all} cookies"),
                },
                error.to_string(),
            )],
        },
    }
}

impl CookiesPut {
    /// The accepted cookies of which the browser has one of that name and host now, and why it lacks the
    /// others. Nothing else is compared: Chromium writes paths and partitions in its own way, and a page
    /// may have changed the value already.
    pub(crate) fn kept(&self, now: &[Cookie]) -> (Vec<Cookie>, Vec<Warning>) {
        let there: BTreeSet<_> = now.iter().map(place).collect();
        // Chromium writes such a domain in ASCII.
        let is_kept =
            |cookie: &&Cookie| !cookie.domain.is_ascii() || there.contains(&place(cookie));
        let (kept, dropped): (Vec<&Cookie>, Vec<&Cookie>) = self.accepted.iter().partition(is_kept);
        let dropped = dropped.into_iter().map(why_dropped).collect();
        (kept.into_iter().cloned().collect(), dropped)
    }
}

/// Whether the browser has all of these cookies now, with their values.
pub(crate) fn has_all(now: &[Cookie], of: &[Cookie]) -> bool {
    let valued = |cookie: &Cookie| (place(cookie), cookie.value.clone());
    let there: BTreeSet<_> = now.iter().map(valued).collect();
    of.iter()
        .all(|cookie| !cookie.domain.is_ascii() || there.contains(&valued(cookie)))
}

/// Whether the browser has one of these cookies now, whatever its value.
pub(crate) fn has_any(now: &[Cookie], of: &[Cookie]) -> bool {
    let there: BTreeSet<_> = now.iter().map(place).collect();
    of.iter().any(|cookie| there.contains(&place(cookie)))
}

/// A cookie's name and host.
fn place(cookie: &Cookie) -> (String, String) {
    let host = cookie.domain.trim_start_matches('.');
    (cookie.name.clone(), host.to_ascii_lowercase())
}

fn why_dropped(cookie: &Cookie) -> Warning {
    let reason = match cookie.same_site {
        Some(SameSite::None) if !cookie.secure => {
            "Chromium keeps no cookie with `SameSite=None` that is not `Secure`"
        }
        _ => "Chromium did not keep it",
    };
    Warning::new(cookie.label(), reason)
}

/// Removes cookies: Chromium drops a cookie that is set with an expiry in the past.
pub async fn remove_cookies(connection: &Connection, cookies: &[Cookie]) -> Vec<Warning> {
    let over = |cookie: &Cookie| Cookie {
        value: String::new(),
        expires: 1.0,
        ..cookie.clone()
    };
    let over: Vec<Cookie> = cookies.iter().map(over).collect();
    restore_cookies(connection, &over).await
}

async fn one_by_one(connection: &Connection, cookies: &[Cookie]) -> CookiesPut {
    let mut put = CookiesPut::default();
    for some in cookies.chunks(TOGETHER) {
        let sent = some
            .iter()
            .map(|cookie| set(connection, std::slice::from_ref(cookie)));
        for (cookie, answer) in some.iter().zip(futures_util::future::join_all(sent).await) {
            match answer {
                Ok(()) => put.accepted.push(cookie.clone()),
                Err(error) => {
                    let why = Warning::new(cookie.label(), error.to_string());
                    put.refused.push(why);
                }
            }
        }
    }
    put
}

async fn set(connection: &Connection, cookies: &[Cookie]) -> Result<(), CallError> {
    let cookies = cookies.iter().map(param).collect();
    let params = SetCookiesParams { cookies };
    connection.run(None, &params).await
}

#[derive(Default, Deserialize)]
struct Jar {
    cookies: Vec<Json>,
}

/// A cookie as Chromium reports it. Chromium's enums are strings here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    name: String,
    value: String,
    domain: String,
    path: String,
    /// `null` for a time that JSON cannot express.
    expires: Option<f64>,
    #[serde(default)]
    http_only: bool,
    #[serde(default)]
    secure: bool,
    #[serde(default)]
    session: bool,
    same_site: Option<String>,
    priority: Option<String>,
    source_scheme: Option<String>,
    source_port: Option<i64>,
    partition_key: Option<Partition>,
    #[serde(default)]
    partition_key_opaque: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Partition {
    top_level_site: String,
    has_cross_site_ancestor: bool,
}

fn read(json: &str) -> Option<Cookie> {
    let wire = match serde_json::from_str::<Wire>(json) {
        Ok(wire) if wire.partition_key_opaque => return None,
        Ok(wire) => wire,
        Err(error) => {
            // Log only the position: the message may quote a value.
            tracing::warn!(column = error.column(), "cannot read a cookie");
            return None;
        }
    };
    Some(Cookie {
        name: wire.name,
        value: wire.value,
        domain: wire.domain,
        path: wire.path,
        expires: wire.expires.filter(|_| !wire.session).unwrap_or(-1.0),
        http_only: wire.http_only,
        secure: wire.secure,
        same_site: wire.same_site.as_deref().and_then(SameSite::parse),
        has_cross_site_ancestor: wire
            .partition_key
            .as_ref()
            .map(|key| key.has_cross_site_ancestor),
        partition_key: wire.partition_key.map(|key| key.top_level_site),
        priority: wire.priority,
        source_scheme: wire.source_scheme,
        source_port: wire.source_port,
    })
}

impl Cookie {
    /// Pages on this machine may set secure cookies over plain HTTP. Chromium keeps such a cookie, but
    /// refuses to set one through the protocol unless the scheme is left out.
    fn settable_scheme(&self) -> Option<&str> {
        let scheme = self.source_scheme.as_deref();
        scheme.filter(|scheme| !self.secure || *scheme != "NonSecure")
    }
}

fn param(cookie: &Cookie) -> CookieParam {
    CookieParam {
        name: cookie.name.clone(),
        value: cookie.value.clone(),
        domain: cookie.domain.clone(),
        path: cookie.path.clone(),
        expires: (!cookie.is_session()).then_some(cookie.expires),
        http_only: cookie.http_only,
        secure: cookie.secure,
        same_site: cookie.same_site.map(SameSite::name),
        priority: cookie.priority.clone(),
        source_scheme: cookie.settable_scheme().map(str::to_owned),
        source_port: cookie.source_port,
        partition_key: cookie.partition_key.as_ref().map(|site| {
            let crosses = cookie.has_cross_site_ancestor.unwrap_or(true);
            CookiePartitionKey::new(site.as_str(), crosses)
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use szk_cdp::testing::{Answer, Script};

    use super::*;

    fn wire(extra: serde_json::Value) -> serde_json::Value {
        let mut cookie = json!({"name": "a", "value": "1", "domain": "x.test", "path": "/", "expires": 1700000000.5,
            "size": 2, "httpOnly": true, "secure": true, "session": false, "sameSite": "Lax", "priority": "High",
            "sourceScheme": "Secure", "sourcePort": 8443});
        cookie
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        cookie
    }

    async fn captured(cookie: serde_json::Value) -> Vec<Cookie> {
        let (connection, _events, _peer) = Script::new()
            .answer("Storage.getCookies", json!({"cookies": [cookie]}))
            .start();
        capture_cookies(&connection).await.unwrap()
    }

    #[test]
    fn a_secure_cookie_of_plain_http_is_set_without_its_scheme() {
        let check = |secure: bool, scheme: &str, expected: Option<&str>| {
            let cookie = Cookie {
                secure,
                source_scheme: Some(scheme.into()),
                ..read(&wire(json!({})).to_string()).unwrap()
            };
            assert_eq!(param(&cookie).source_scheme.as_deref(), expected);
        };
        check(true, "NonSecure", None);
        check(true, "Secure", Some("Secure"));
        check(false, "NonSecure", Some("NonSecure"));
    }

    #[tokio::test]
    async fn captured_cookies_can_be_set_unchanged() {
        let partition = json!({"topLevelSite": "https://top.test", "hasCrossSiteAncestor": false});
        let cookies = captured(wire(json!({"partitionKey": partition}))).await;
        let (connection, _events, peer) = Script::new().start();
        assert_eq!(restore_cookies(&connection, &cookies).await, []);
        let mut expected = wire(json!({"partitionKey": partition}));
        for gone in ["size", "session"] {
            expected.as_object_mut().unwrap().remove(gone);
        }
        assert_eq!(peer.calls()[0].params["cookies"][0], expected);
    }

    #[tokio::test]
    async fn an_unreadable_cookie_costs_only_itself() {
        let odd = captured(wire(
            json!({"priority": "Extreme", "sameSite": "Cosy", "expires": null}),
        ))
        .await;
        assert_eq!(
            (odd[0].priority.as_deref(), odd[0].same_site, odd[0].expires),
            (Some("Extreme"), None, -1.0)
        );
        assert_eq!(
            captured(wire(json!({"partitionKeyOpaque": true}))).await,
            []
        );
        assert_eq!(captured(json!({"name": 1})).await, []);
        assert!(captured(wire(json!({"session": true}))).await[0].is_session());
    }

    #[tokio::test]
    async fn one_bad_cookie_is_one_warning() {
        let refuse = |call: &szk_cdp::testing::Call| {
            let bad = call.method == "Storage.setCookies"
                && call.params["cookies"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|cookie| cookie["name"] == "bad");
            bad.then(|| Answer::error(-32602, "Invalid cookie fields"))
        };
        let (connection, _events, peer) = Script::new().answer_with(refuse).start();
        let cookie = captured(wire(json!({}))).await.remove(0);
        let cookies = ["good", "bad", "fine"].map(|name| Cookie {
            name: name.into(),
            ..cookie.clone()
        });
        let put = put_cookies(&connection, &cookies).await;
        assert_eq!(put.refused.len(), 1);
        assert_eq!(
            put.refused[0].to_string(),
            "cookie `bad` of `x.test`: Invalid cookie fields (-32602)"
        );
        let accepted = put.accepted.iter().map(|cookie| &*cookie.name);
        assert_eq!(accepted.collect::<Vec<_>>(), ["good", "fine"]);
        assert_eq!(peer.calls().len(), 4);
    }

    #[test]
    fn what_chromium_accepts_and_drops_is_told_from_what_it_keeps() {
        let cookie = |name: &str, domain: &str, secure: bool| Cookie {
            name: name.into(),
            domain: domain.into(),
            secure,
            same_site: Some(SameSite::None),
            ..read(&wire(json!({})).to_string()).unwrap()
        };
        let put = CookiesPut {
            accepted: vec![
                cookie("kept", ".X.test", true),
                cookie("elsewhere", "ü.test", true),
                cookie("insecure", "x.test", false),
                cookie("odd", "x.test", true),
            ],
            refused: Vec::new(),
        };
        let (kept, dropped) = put.kept(&[cookie("kept", "x.test", true)]);
        assert_eq!(kept, put.accepted[..2]);
        assert_eq!(
            dropped.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "cookie `insecure` of `x.test`: Chromium keeps no cookie with `SameSite=None` that is not `Secure`",
                "cookie `odd` of `x.test`: Chromium did not keep it",
            ]
        );
    }

    #[tokio::test]
    async fn setting_no_cookies_sends_no_command() {
        let (connection, _events, peer) = Script::new().start();
        assert_eq!(restore_cookies(&connection, &[]).await, []);
        assert_eq!(peer.calls(), []);
    }

    #[tokio::test]
    async fn a_lost_browser_is_one_warning() {
        let (connection, _events, _peer) = Script::new()
            .answer("Storage.setCookies", Answer::close())
            .start();
        let cookie = captured(wire(json!({}))).await.remove(0);
        assert_eq!(
            restore_cookies(&connection, &vec![cookie; 20]).await.len(),
            1
        );
    }
}
