use std::collections::HashMap;
use std::fmt::Debug;

use chromiumoxide_cdp::cdp::browser_protocol::network::{
    Cookie, EventRequestWillBeSentExtraInfo, GetCookiesReturns,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

#[derive(Debug, Default, PartialEq, Deserialize)]
struct Outer {
    name: String,
    count: Option<u32>,
    kind: Option<Kind>,
    inner: Option<Inner>,
    #[serde(default)]
    list: Vec<Inner>,
    #[serde(default)]
    map: HashMap<String, Kind>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Inner {
    kind: Kind,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Kind {
    Old,
}

fn check<T: DeserializeOwned + Debug + PartialEq>(json: &Value, expected: T) {
    assert_eq!(read::<T>(&json.to_string()), Ok(expected));
}

fn named(name: &str) -> Outer {
    Outer {
        name: name.to_owned(),
        ..Outer::default()
    }
}

#[test]
fn a_bad_optional_field_is_left_out() {
    check(&json!({"name": "a", "kind": "New"}), named("a"));
    check(&json!({"name": "a", "count": -1, "kind": 7}), named("a"));
}

#[test]
fn a_missing_required_field_is_neutral() {
    check(&json!({}), named(""));
    check(&json!({"name": {"now": "an object"}}), named(""));
    #[derive(Debug, PartialEq, Deserialize)]
    struct Many(Numbers);
    #[derive(Debug, PartialEq, Deserialize)]
    struct Numbers {
        a: f64,
        b: bool,
        c: Vec<u8>,
        d: HashMap<String, u8>,
        e: Deep,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Deep {
        text: String,
        size: i64,
    }
    let e = Deep {
        text: String::new(),
        size: 0,
    };
    check(
        &json!({}),
        Many(Numbers {
            a: 0.0,
            b: false,
            c: vec![],
            d: HashMap::new(),
            e,
        }),
    );
}

#[test]
fn an_enum_is_never_made_up() {
    check(&json!({"name": "a", "inner": {"kind": "New"}}), named("a"));
    check(&json!({"name": "a", "inner": {}}), named("a"));
    let lists =
        json!({"name": "a", "list": [{"kind": "New"}, {"kind": "Old"}, {"kind": "Newer"}, {}]});
    let list = vec![Inner { kind: Kind::Old }];
    check(&lists, Outer { list, ..named("a") });
    let map = HashMap::from([("b".to_owned(), Kind::Old)]);
    check(
        &json!({"name": "a", "map": {"a": "New", "b": "Old"}}),
        Outer { map, ..named("a") },
    );
}

#[test]
fn what_is_left_of_nothing_is_an_error() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Nested {
        inner: Inner,
    }
    let error = read::<Nested>(r#"{"inner":{"kind":"New"}}"#).unwrap_err();
    assert_eq!(error.path, "inner.kind");
    assert!(error.problem.contains("New"), "{error}");
    assert!(read::<Nested>("[1]").is_err());
    assert!(read::<Nested>("{").is_err());
}

#[test]
fn half_characters_are_replaced() {
    check::<String>(&json!("plain"), "plain".to_owned());
    assert_eq!(read::<String>(r#""a\ud83d""#).as_deref(), Ok("a\u{fffd}"));
}

/// Recorded from Chromium 156: the protocol types know `privateNetworkRequestPolicy` only.
#[test]
fn the_extra_info_of_chromium_156_loses_its_security_state_only() {
    let event = include_str!("samples/request_will_be_sent_extra_info.json");
    assert!(serde_json::from_str::<EventRequestWillBeSentExtraInfo>(event).is_err());
    let read: EventRequestWillBeSentExtraInfo = read(event).unwrap();
    assert_eq!(read.client_security_state, None);
    assert_eq!(read.request_id.inner(), "13866.2");
    assert_eq!(read.headers.inner()["Sec-Fetch-Dest"], "image");
    assert_eq!(read.connect_timing.request_time, 1646.287825);
    assert_eq!(read.site_has_cookie_in_other_partition, Some(false));
}

fn cookies(count: usize, change: impl Fn(usize, &mut Value)) -> Vec<Cookie> {
    let cookies: Vec<_> = (0..count)
        .map(|n| {
            let mut cookie = json!({"name": format!("c{n}"), "value": "v", "domain": "a.test",
                "path": "/", "expires": -1, "size": 3, "httpOnly": false, "secure": false,
                "session": true, "priority": "Medium", "sourceScheme": "Secure",
                "sourcePort": 443, "sameSite": "Lax"});
            change(n, &mut cookie);
            cookie
        })
        .collect();
    let returned = json!({ "cookies": cookies }).to_string();
    read::<GetCookiesReturns>(&returned).unwrap().cookies
}

#[test]
fn the_same_trouble_in_a_long_list_is_one_round() {
    let read = cookies(1000, |n, cookie| {
        cookie["sameSite"] = json!(if n % 2 == 0 { "Laxer" } else { "Strict" });
        cookie["expires"] = json!("never");
    });
    assert_eq!(read.len(), 1000);
    assert!(read.iter().all(|cookie| cookie.expires == 0.0));
    assert_eq!(
        read.iter()
            .filter(|cookie| cookie.same_site.is_none())
            .count(),
        500
    );
}

#[test]
fn elements_that_need_an_unknown_variant_are_left_out() {
    let read = cookies(3, |n, cookie| {
        cookie["sourceScheme"] = json!(["Secure", "Quantum", "NonSecure"][n]);
    });
    let names: Vec<_> = read.iter().map(|cookie| cookie.name.as_str()).collect();
    assert_eq!(names, ["c0", "c2"]);
}
