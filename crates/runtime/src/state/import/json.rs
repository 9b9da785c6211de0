//! A JSON array of cookies, as extensions (EditThisCookie, Cookie-Editor) and libraries (Puppeteer,
//! Selenium, Playwright) write it. They name fields differently, so each field is looked up under all
//! its names.

use jiff::Timestamp;
use serde_json::{Map, Value};
use url::Url;

use super::{ImportError, Imported, with_dot};
use crate::state::schema::{Cookie, SameSite};
use crate::state::warning::Warning;

/// Larger numbers are milliseconds: in seconds it would be the year 5138.
const NOT_SECONDS: f64 = 1e11;

/// Reads an array of cookies, or an object that has one under `cookies`.
///
/// # Errors
/// [`ImportError::Other`] if there is no such array.
pub fn from_json(text: &str) -> Result<Imported, ImportError> {
    let other = ImportError::Other {
        expected: "a JSON array of cookies",
    };
    let entries = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Array(entries)) => entries,
        Ok(Value::Object(mut fields)) => match fields.remove("cookies") {
            Some(Value::Array(entries)) => entries,
            _ => return Err(other),
        },
        _ => return Err(other),
    };
    let mut imported = Imported::default();
    for (index, entry) in entries.iter().enumerate() {
        match entry.as_object().ok_or("not an object").and_then(cookie) {
            Ok(cookie) => imported.cookies.push(cookie),
            Err(reason) => imported
                .warnings
                .push(Warning::new(format!("cookie {}", index + 1), reason)),
        }
    }
    Ok(imported)
}

fn cookie(fields: &Map<String, Value>) -> Result<Cookie, &'static str> {
    let partition = fields.get("partitionKey").filter(|key| !key.is_null());
    Ok(Cookie {
        name: text(fields, &["name", "Name"]).ok_or("it has no name")?,
        value: text(fields, &["value", "Value"]).ok_or("it has no value")?,
        domain: domain(fields).ok_or("it has no domain")?,
        path: text(fields, &["path", "Path"])
            .filter(|path| path.starts_with('/'))
            .unwrap_or_else(|| "/".into()),
        expires: expires(fields)?,
        http_only: flag(fields, &["httpOnly", "HttpOnly", "http_only", "isHttpOnly"]),
        secure: flag(fields, &["secure", "Secure", "isSecure"]),
        same_site: text(fields, &["sameSite", "SameSite", "same_site"])
            .and_then(|name| SameSite::parse(&name)),
        partition_key: partition
            .map(|key| site(key).ok_or("its partition key has no site"))
            .transpose()?,
        has_cross_site_ancestor: partition.and_then(|key| {
            let inside = key.get("hasCrossSiteAncestor");
            inside
                .or_else(|| fields.get("_crHasCrossSiteAncestor"))
                .and_then(Value::as_bool)
        }),
        priority: text(fields, &["priority"]),
        source_scheme: text(fields, &["sourceScheme"]),
        source_port: fields.get("sourcePort").and_then(Value::as_i64),
    })
}

/// With a leading dot if the cookie is for subdomains too; extensions store that beside the domain.
fn domain(fields: &Map<String, Value>) -> Option<String> {
    let Some(domain) =
        text(fields, &["domain", "Domain", "host"]).filter(|domain| !domain.is_empty())
    else {
        let url = text(fields, &["url"])?;
        return Url::parse(&url).ok()?.host_str().map(str::to_owned);
    };
    let host_only = fields.get("hostOnly").and_then(Value::as_bool);
    Some(match host_only {
        Some(true) => domain.trim_start_matches('.').to_owned(),
        Some(false) => with_dot(&domain),
        None => domain,
    })
}

fn expires(fields: &Map<String, Value>) -> Result<f64, &'static str> {
    const SESSION: f64 = -1.0;
    if flag(fields, &["session"]) {
        return Ok(SESSION);
    }
    let names = [
        "expires",
        "expirationDate",
        "expiry",
        "Expires",
        "expires_utc",
    ];
    let Some(value) = names
        .iter()
        .find_map(|name| fields.get(*name).filter(|value| !value.is_null()))
    else {
        return Ok(SESSION);
    };
    let number = match value {
        Value::String(text) if text.is_empty() || text.eq_ignore_ascii_case("session") => {
            return Ok(SESSION);
        }
        Value::String(text) => text
            .parse()
            .ok()
            .or_else(|| {
                text.parse::<Timestamp>()
                    .ok()
                    .map(|at| at.as_duration().as_secs_f64())
            })
            .or_else(|| {
                jiff::fmt::rfc2822::parse(text)
                    .ok()
                    .map(|at| at.timestamp().as_duration().as_secs_f64())
            }),
        other => other.as_f64(),
    };
    match number {
        Some(number) if number.is_finite() && number > NOT_SECONDS => Ok(number / 1000.0),
        Some(number) if number.is_finite() && number > 0.0 => Ok(number),
        Some(_) => Ok(SESSION),
        None => Err("its expiry is not a time"),
    }
}

/// `https://top.test`, or an object around it.
fn site(key: &Value) -> Option<String> {
    let inside = || {
        key.get("topLevelSite")
            .or_else(|| key.get("sourceOrigin"))
            .and_then(Value::as_str)
    };
    key.as_str().or_else(inside).map(str::to_owned)
}

fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match fields.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    })
}

fn flag(fields: &Map<String, Value>, names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| fields.get(*name).and_then(Value::as_bool) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name domain path expires sameSite flags`
    fn check(json: &str, expected: &str) {
        let imported = from_json(&format!("[{json}]")).unwrap();
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        let cookie = &imported.cookies[0];
        let flags = format!(
            "{}{}",
            if cookie.http_only { "h" } else { "" },
            if cookie.secure { "s" } else { "" }
        );
        let seen = format!(
            "{} {} {} {} {:?} {flags}",
            cookie.name, cookie.domain, cookie.path, cookie.expires, cookie.same_site
        );
        assert_eq!(seen.trim_end(), expected);
    }

    #[test]
    fn edit_this_cookie() {
        check(
            r#"{"domain":".x.test","expirationDate":1900000000.5,"hostOnly":false,"httpOnly":true,"name":"a","path":"/p","sameSite":"no_restriction","secure":true,"session":false,"storeId":"0","value":"v","id":1}"#,
            "a .x.test /p 1900000000.5 Some(None) hs",
        );
        check(
            r#"{"domain":".x.test","hostOnly":true,"name":"a","value":"","sameSite":"unspecified","session":true,"expirationDate":1}"#,
            "a x.test / -1 None",
        );
        check(
            r#"{"domain":"x.test","hostOnly":false,"name":"a","value":"","sameSite":null}"#,
            "a .x.test / -1 None",
        );
        check(
            r#"{"domain":"127.0.0.1","hostOnly":false,"name":"a","value":""}"#,
            "a 127.0.0.1 / -1 None",
        );
    }

    #[test]
    fn puppeteer() {
        check(
            r#"{"name":"a","value":"v","domain":"x.test","path":"/","expires":-1,"size":2,"httpOnly":false,"secure":true,"session":true,"sameSite":"Strict","priority":"Low","sourceScheme":"Secure","sourcePort":443}"#,
            "a x.test / -1 Some(Strict) s",
        );
        let imported = from_json(r#"[{"name":"a","value":"v","domain":"x.test","partitionKey":{"sourceOrigin":"https://top.test","hasCrossSiteAncestor":false}}]"#).unwrap();
        assert_eq!(
            imported.cookies[0].partition_key.as_deref(),
            Some("https://top.test")
        );
        assert_eq!(imported.cookies[0].has_cross_site_ancestor, Some(false));
    }

    #[test]
    fn others() {
        check(
            r#"{"name":"a","value":1,"url":"https://u@X.test:8443/p?q","expiry":1900000000}"#,
            "a x.test / 1900000000 None",
        );
        check(
            r#"{"name":"a","value":"","url":"http://[::1]:80/"}"#,
            "a [::1] / -1 None",
        );
        check(
            r#"{"name":"a","value":"","domain":"x","expires":1900000000000}"#,
            "a x / 1900000000 None",
        );
        check(
            r#"{"name":"a","value":"","domain":"x","expires":"2030-03-17T17:46:40Z"}"#,
            "a x / 1900000000 None",
        );
        check(
            r#"{"name":"a","value":"","domain":"x","expires":"Sun, 17 Mar 2030 17:46:40 GMT"}"#,
            "a x / 1900000000 None",
        );
        check(
            r#"{"name":"a","value":"","domain":"x","expires":"Session","path":"p"}"#,
            "a x / -1 None",
        );
    }

    #[test]
    fn a_bad_cookie_is_a_warning_without_its_value() {
        let imported = from_json(r#"{"cookies":[{"name":"a"},5,{"name":"b","value":"secret"},{"name":"c","value":"v","domain":"x","expires":"soon"},{"name":"d","value":"v","domain":"x"}]}"#).unwrap();
        assert_eq!(imported.cookies.len(), 1);
        let said: Vec<_> = imported.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "cookie 1: it has no value",
                "cookie 2: not an object",
                "cookie 3: it has no domain",
                "cookie 4: its expiry is not a time"
            ]
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for other in ["", "{}", "7", "a=b", r#"{"cookies":{}}"#] {
            assert!(from_json(other).is_err(), "{other}");
        }
    }
}
