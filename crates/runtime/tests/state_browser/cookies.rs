//! Cookies of all kinds, there and back.

use serde_json::json;
use szk_runtime::state::{self, Cookie, Digest, StorageState};

use crate::support::{Browser, saved, texts};

fn cookies() -> Vec<Cookie> {
    let later = 3600.0 * 24.0 * 30.0 + jiff::Timestamp::now().as_duration().as_secs_f64().floor();
    let cookies = json!([
        {"name": "host", "value": "1", "domain": "x.test", "path": "/", "secure": true},
        {"name": "domain", "value": "a=b; é".replace("; ", " "), "domain": ".x.test", "path": "/p", "expires": later, "sameSite": "Lax"},
        {"name": "__Host-id", "value": "1", "domain": "x.test", "path": "/", "secure": true, "httpOnly": true, "sameSite": "Strict", "priority": "High", "sourceScheme": "Secure", "sourcePort": 8443},
        {"name": "part", "value": "1", "domain": "x.test", "path": "/", "secure": true, "sameSite": "None", "partitionKey": "https://top.test", "_crHasCrossSiteAncestor": false},
        {"name": "part", "value": "2", "domain": "x.test", "path": "/", "secure": true, "sameSite": "None", "partitionKey": "https://top.test", "_crHasCrossSiteAncestor": true},
        {"name": "", "value": "nameless", "domain": "localhost", "path": "/"},
        {"name": "address", "value": "", "domain": "127.0.0.1", "path": "/", "sourceScheme": "NonSecure", "sourcePort": 8080},
    ]);
    saved(&json!({"cookies": cookies}).to_string()).cookies
}

fn digest(cookies: Vec<Cookie>) -> Digest {
    StorageState {
        cookies,
        ..StorageState::default()
    }
    .digest()
}

#[tokio::test]
async fn what_was_set_is_captured_and_can_be_set_again() {
    let (browser, cookies) = (Browser::start().await, cookies());
    assert_eq!(
        texts(&state::restore_cookies(browser.connection(), &cookies).await),
        [""; 0]
    );
    let captured = state::capture_cookies(browser.connection()).await.unwrap();
    assert_eq!(captured.len(), 7);
    for expected in cookies {
        let found = captured
            .iter()
            .find(|cookie| (&cookie.name, &cookie.value) == (&expected.name, &expected.value))
            .unwrap();
        let places = |cookie: &Cookie| {
            (
                cookie.domain.clone(),
                cookie.path.clone(),
                cookie.expires,
                cookie.same_site,
                cookie.http_only,
                cookie.secure,
            )
        };
        assert_eq!(places(found), places(&expected));
        assert_eq!(
            (&found.partition_key, found.has_cross_site_ancestor),
            (&expected.partition_key, expected.has_cross_site_ancestor)
        );
    }
    let browser = browser.on_a_new_profile().await;
    assert_eq!(
        texts(&state::restore_cookies(browser.connection(), &captured).await),
        [""; 0]
    );
    let again = state::capture_cookies(browser.connection()).await.unwrap();
    assert_eq!(digest(again), digest(captured));
    browser.end().await;
}

#[tokio::test]
async fn one_bad_cookie_is_one_warning() {
    let browser = Browser::start().await;
    let mut cookies = cookies();
    cookies[1].domain = ".y.test".into();
    cookies[1].name = "__Host-wrong".into();
    let warnings = state::restore_cookies(browser.connection(), &cookies).await;
    assert_eq!(
        texts(&warnings),
        ["cookie `__Host-wrong` of `.y.test`: Invalid cookie fields (-32602)"]
    );
    assert_eq!(
        state::capture_cookies(browser.connection())
            .await
            .unwrap()
            .len(),
        6
    );
    browser.end().await;
}
