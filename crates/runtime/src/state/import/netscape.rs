//! `cookies.txt`, the Netscape format of curl, wget and yt-dlp: seven fields separated by tabs.

use std::fmt::Write as _;

use super::{ImportError, Imported, with_dot};
use crate::state::schema::Cookie;
use crate::state::warning::Warning;

/// Marks what would otherwise be a comment: curl's way to mark a cookie as hidden from scripts.
const HTTP_ONLY: &str = "#HttpOnly_";

/// Reads a `cookies.txt`. The format has no partition, SameSite or priority.
///
/// # Errors
/// [`ImportError::Other`] if it has lines, but none of them is a cookie.
pub fn from_netscape(text: &str) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    for (index, line) in text.trim_start_matches('\u{feff}').split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (http_only, line) = match line.strip_prefix(HTTP_ONLY) {
            Some(rest) => (true, rest),
            None if line.trim().is_empty() || line.starts_with('#') => continue,
            None => (false, line),
        };
        match cookie(line, http_only) {
            Ok(cookie) => imported.cookies.push(cookie),
            Err(reason) => imported
                .warnings
                .push(Warning::new(format!("line {}", index + 1), reason)),
        }
    }
    if imported.cookies.is_empty() && !imported.warnings.is_empty() {
        return Err(ImportError::Other {
            expected: "a cookies.txt",
        });
    }
    Ok(imported)
}

fn cookie(line: &str, http_only: bool) -> Result<Cookie, &'static str> {
    let fields: Vec<&str> = line.splitn(7, '\t').collect();
    // Some writers omit the last tab before an empty value.
    let (&[domain, subdomains, path, secure, expires, name], value) =
        (match fields.split_at_checked(6) {
            Some((first, last)) => (first, last.first().copied().unwrap_or_default()),
            None => return Err("it has fewer than six fields"),
        })
    else {
        return Err("it has fewer than six fields");
    };
    let expires: f64 = expires
        .trim()
        .parse()
        .map_err(|_| "its expiry is not a number")?;
    if domain.trim_matches('.').is_empty() {
        return Err("it has no domain");
    }
    Ok(Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        domain: if subdomains.eq_ignore_ascii_case("true") {
            with_dot(domain)
        } else {
            domain.to_owned()
        },
        path: if path.starts_with('/') {
            path.to_owned()
        } else {
            "/".to_owned()
        },
        expires: if expires.is_finite() && expires > 0.0 {
            expires
        } else {
            -1.0
        },
        http_only,
        secure: secure.eq_ignore_ascii_case("true"),
        same_site: None,
        partition_key: None,
        has_cross_site_ancestor: None,
        priority: None,
        source_scheme: None,
        source_port: None,
    })
}

/// Writes a `cookies.txt`. Leaves out partitioned cookies, because other tools would send them
/// everywhere.
#[must_use]
pub fn to_netscape(cookies: &[Cookie]) -> (String, Vec<Warning>) {
    let mut text = String::from("# Netscape HTTP Cookie File\n");
    let mut warnings = Vec::new();
    for cookie in cookies {
        let Cookie {
            name,
            value,
            domain,
            path,
            ..
        } = cookie;
        let breaks = |field: &&String| field.contains(['\t', '\n', '\r']);
        if cookie.partition_key.is_some() {
            warnings.push(Warning::new(
                cookie.label(),
                "the format cannot hold partitioned cookies",
            ));
        } else if [name, value, domain, path].iter().any(breaks) {
            warnings.push(Warning::new(cookie.label(), "the format cannot hold tabs"));
        } else {
            let prefix = if cookie.http_only { HTTP_ONLY } else { "" };
            let [subdomains, secure] = [domain.starts_with('.'), cookie.secure]
                .map(|flag| if flag { "TRUE" } else { "FALSE" });
            let expires = if cookie.is_session() {
                0.0
            } else {
                cookie.expires.floor()
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{prefix}{domain}\t{subdomains}\t{path}\t{secure}\t{expires}\t{name}\t{value}"
            );
        }
    }
    (text, warnings)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn curl() {
        let text = "# Netscape HTTP Cookie File\r\n\r\n#HttpOnly_.x.test\tTRUE\t/\tTRUE\t1900000000\tsid\ta=b c\r\nx.test\tFALSE\t/p\tFALSE\t0\tempty\nx.test\tTRUE\t/\tFALSE\t0\t\tnameless\n# a comment\n";
        let imported = from_netscape(text).unwrap();
        assert_eq!(imported.warnings, []);
        let seen: Vec<_> = imported
            .cookies
            .iter()
            .map(|cookie| {
                (
                    cookie.name.as_str(),
                    cookie.value.as_str(),
                    cookie.domain.as_str(),
                    cookie.expires,
                    cookie.http_only,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("sid", "a=b c", ".x.test", 1_900_000_000.0, true),
                ("empty", "", "x.test", -1.0, false),
                ("", "nameless", ".x.test", -1.0, false)
            ]
        );
    }

    #[test]
    fn a_bad_line_is_a_warning() {
        let imported = from_netscape(
            "x.test\tFALSE\t/\tFALSE\tsoon\ta\tsecret\nnonsense\nx.test\tFALSE\t/\tFALSE\t0\ta\tb",
        )
        .unwrap();
        assert_eq!(imported.cookies.len(), 1);
        let said: Vec<_> = imported.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "line 1: its expiry is not a number",
                "line 2: it has fewer than six fields"
            ]
        );
    }

    #[test]
    fn other_formats_are_refused() {
        assert!(from_netscape("{\"cookies\": []}").is_err());
        assert_eq!(from_netscape("# nothing\n").unwrap(), Imported::default());
    }

    #[test]
    fn what_the_format_cannot_hold_is_a_warning() {
        let cookie = from_netscape("x.test\tFALSE\t/\tFALSE\t0\ta\tb")
            .unwrap()
            .cookies
            .remove(0);
        let partitioned = Cookie {
            partition_key: Some("https://y.test".into()),
            ..cookie.clone()
        };
        let tabbed = Cookie {
            value: "a\tb".into(),
            ..cookie
        };
        assert_eq!(to_netscape(&[partitioned, tabbed]).1.len(), 2);
    }

    proptest! {
        #[test]
        fn there_and_back(
            name in "[!-:<>-~]{0,12}", value in "[ -:<-~é]{0,20}", domain in "\\.?[a-z]{1,8}\\.test", path in "/[a-z/]{0,8}",
            expires in prop_oneof![Just(-1.0), (1u32..).prop_map(f64::from)], http_only: bool, secure: bool,
        ) {
            let cookie = Cookie { name, value, domain, path, expires, http_only, secure, same_site: None, partition_key: None,
                has_cross_site_ancestor: None, priority: None, source_scheme: None, source_port: None };
            let (text, warnings) = to_netscape(std::slice::from_ref(&cookie));
            prop_assert_eq!(warnings, vec![]);
            prop_assert_eq!(from_netscape(&text).unwrap(), Imported { cookies: vec![cookie], warnings: vec![] });
        }
    }
}
