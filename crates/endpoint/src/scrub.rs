//! Removes cookies from events, if `[policy] export_cookies` is false.

use serde_json::Value;
use serde_json::value::RawValue;
use szk_cdp::{Event, raw};

/// The replacement for a cookie.
const HIDDEN: &str = "***";
/// Fields that contain whole headers or cookies.
const WHOLE: [&str; 4] = [
    "headersText",
    "requestHeadersText",
    "cookieLine",
    "rawCookieLine",
];

/// The event's parameters without cookies; `None` if there are none in it.
pub(super) fn scrubbed(event: &Event) -> Option<Box<RawValue>> {
    let domain = event.method.split('.').next()?;
    let text = event.params.get();
    if !matches!(domain, "Network" | "Fetch" | "Audits") || !names_cookies(text) {
        return None;
    }
    let mut params: Value = serde_json::from_str(text).ok()?;
    scrub(&mut params);
    Some(raw(&params))
}

/// Whether there may be a cookie: most events have none, and are not parsed.
fn names_cookies(text: &str) -> bool {
    let bytes = text.as_bytes().windows(5);
    let mut bytes = bytes.map(|word| word.eq_ignore_ascii_case(b"ookie"));
    bytes.any(|found| found)
}

fn scrub(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(scrub),
        Value::Object(fields) => {
            // A header that is written as name and value.
            let is_header = fields
                .get("name")
                .and_then(Value::as_str)
                .is_some_and(is_cookie);
            for (name, value) in fields {
                let hidden = (is_header && name == "value")
                    || (WHOLE.contains(&name.as_str()) && value.is_string())
                    || (is_cookie(name) && value.is_string());
                match value {
                    value if hidden => *value = HIDDEN.into(),
                    Value::Object(cookie) if name == "cookie" => {
                        if let Some(value) = cookie.get_mut("value") {
                            *value = HIDDEN.into();
                        }
                    }
                    value => scrub(value),
                }
            }
        }
        _ => {}
    }
}

fn is_cookie(header: &str) -> bool {
    ["cookie", "cookie2", "set-cookie", "set-cookie2"]
        .iter()
        .any(|name| header.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_cookies_are_removed() {
        let mut params = json!({
            "headers": {"Cookie": "a=s3cret", "set-cookie": "a=s3cret", "accept": "x"},
            "request": {"headers": {"cookie": "a=s3cret"}},
            "responseHeaders": [{"name": "Set-Cookie", "value": "a=s3cret"}, {"name": "x", "value": "y"}],
            "associatedCookies": [{"blockedReasons": [], "cookie": {"name": "a", "value": "s3cret"}}],
            "blockedCookies": [{"cookieLine": "a=s3cret", "cookie": {"name": "a", "value": "s3cret"}}],
            "headersText": "HTTP/1.1 200\r\nSet-Cookie: a=s3cret",
            "issue": {"rawCookieLine": "a=s3cret"},
        });
        scrub(&mut params);
        let text = params.to_string();
        assert!(!text.contains("s3cret"), "{text}");
        assert_eq!(params["headers"]["accept"], "x");
        assert_eq!(params["responseHeaders"][1]["value"], "y");
        assert_eq!(params["associatedCookies"][0]["cookie"]["name"], "a");
    }

    #[test]
    fn events_without_cookies_are_not_parsed() {
        assert!(names_cookies("x set-COOKIE y") && !names_cookies("x cooky y"));
    }
}
