//! Removes secrets before anything is kept.
//!
//! Goes by the names of headers, parameters and fields. It cannot know what a site hides under another
//! name.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What replaces a secret.
const HIDDEN: &str = "***";

/// Headers that carry logins.
const HEADERS: [&str; 9] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
    "x-csrf-token",
    "x-xsrf-token",
    "x-amz-security-token",
];

/// Names of parameters and fields that carry secrets, without `_` and `-`.
const NAMES: [&str; 22] = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "passphrase",
    "secret",
    "clientsecret",
    "token",
    "accesstoken",
    "idtoken",
    "refreshtoken",
    "authtoken",
    "apikey",
    "auth",
    "signature",
    "sig",
    "sessionid",
    "sid",
    "otp",
    "totp",
    "pin",
    "cvv",
];

static BEARER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}").ok());
static LOGIN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([a-z][a-z0-9+.-]*://)[^\s/?#@]+@").ok());

/// A header's value, or `***`.
#[must_use]
pub fn header(name: &str, value: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if HEADERS.contains(&lower.as_str()) || is_secret(&lower) {
        HIDDEN.to_owned()
    } else if matches!(lower.as_str(), "referer" | "location" | "origin") {
        url(value)
    } else {
        value.to_owned()
    }
}

/// An address without its login and without secret parameters.
#[must_use]
pub fn url(url: &str) -> String {
    if url.starts_with("data:") {
        let head: String = url.chars().take(64).collect();
        return if head.len() < url.len() {
            format!("{head}…")
        } else {
            head
        };
    }
    let url = match &*LOGIN {
        Some(login) => login.replace(url, "${1}***@").into_owned(),
        None => url.to_owned(),
    };
    let (rest, fragment) = match url.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (url.as_str(), None),
    };
    let mut clean = match rest.split_once('?') {
        Some((path, query)) => format!("{path}?{}", form(query)),
        None => rest.to_owned(),
    };
    if let Some(fragment) = fragment {
        clean.push('#');
        // `#access_token=…` of an OAuth response.
        clean.push_str(&form(fragment));
    }
    clean
}

/// Text that people or programs wrote: removes only what is certainly a login.
#[must_use]
pub fn text(text: &str) -> String {
    let text = match &*BEARER {
        Some(bearer) => bearer.replace_all(text, "$1 ***"),
        None => text.into(),
    };
    match &*LOGIN {
        Some(login) => login.replace_all(&text, "${1}***@").into_owned(),
        None => text.into_owned(),
    }
}

/// A body of this media type: blanks the secret fields of JSON and forms.
#[must_use]
pub fn body(mime: &str, body: &str) -> String {
    if let Ok(mut json) = serde_json::from_str::<Value>(body)
        && (json.is_object() || json.is_array())
    {
        return if hide(&mut json) {
            json.to_string()
        } else {
            body.to_owned()
        };
    }
    let is_form = mime.contains("x-www-form-urlencoded")
        || (body.contains('=') && !body.contains(['\n', '<', ' ', '{']));
    if is_form { form(body) } else { text(body) }
}

/// Hides the values of secret fields at any depth; returns whether there were any.
fn hide(value: &mut Value) -> bool {
    match value {
        Value::Object(fields) => {
            let mut found = false;
            for (name, value) in fields.iter_mut() {
                if is_secret(name) && !value.is_object() && !value.is_array() {
                    *value = Value::from(HIDDEN);
                    found = true;
                } else {
                    found |= hide(value);
                }
            }
            found
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |found, item| hide(item) | found),
        _ => false,
    }
}

/// `a=1&password=x` → `a=1&password=***`.
fn form(text: &str) -> String {
    let pair = |pair: &str| match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret(name) => format!("{name}={HIDDEN}"),
        _ => pair.to_owned(),
    };
    let pairs: Vec<String> = text.split('&').map(pair).collect();
    pairs.join("&")
}

fn is_secret(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    NAMES.contains(&plain.as_str())
        || ["password", "secret", "token", "apikey"]
            .iter()
            .any(|ending| plain.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |given, expected: &str| assert_eq!(url(given), expected);
        check("https://a:b@x.example/p?q=1", "https://***@x.example/p?q=1");
        check(
            "https://x.example/?user=jane&access_token=abc&pass=",
            "https://x.example/?user=jane&access_token=***&pass=",
        );
        check(
            "https://x.example/cb#id_token=abc&state=1",
            "https://x.example/cb#id_token=***&state=1",
        );
        check(
            "https://x.example/mail@me?q=a@b",
            "https://x.example/mail@me?q=a@b",
        );
        assert!(url(&format!("data:image/png;base64,{}", "A".repeat(999))).len() < 80);
    }

    #[test]
    fn headers() {
        for name in [
            "Authorization",
            "cookie",
            "Set-Cookie",
            "X-Api-Key",
            "x-my-token",
        ] {
            assert_eq!(header(name, "value"), "***", "{name}");
        }
        assert_eq!(header("accept", "text/html"), "text/html");
        assert_eq!(header("Location", "/?token=1"), "/?token=***");
    }

    #[test]
    fn bodies_and_text() {
        assert_eq!(
            body(
                "application/json",
                r#"{"user":"jane","login":{"passWord":"x","n":[{"api_key":1}]}}"#
            ),
            r#"{"user":"jane","login":{"passWord":"***","n":[{"api_key":"***"}]}}"#
        );
        assert_eq!(
            body("application/x-www-form-urlencoded", "u=1&pwd=2"),
            "u=1&pwd=***"
        );
        assert_eq!(
            body("text/html", "<a href=x?token=1>"),
            "<a href=x?token=1>"
        );
        assert_eq!(
            text("sent Bearer abcdefgh.ijk to https://a:b@c"),
            "sent Bearer *** to https://***@c"
        );
    }
}
