//! Addresses as people write them.

use szk_tools::Failure;

/// `example.org/a` → `https://example.org/a`; hosts of this machine get `http://`.
pub(super) fn complete(url: &str) -> Result<String, Failure> {
    let url = url.trim();
    if url.is_empty() || url.chars().any(|c| c.is_control()) {
        return Err(Failure::invalid("`url` is empty or has control characters"));
    }
    let scheme = url
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| {
            scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
                && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        });
    let after = url.split_once(':').map_or("", |(_, after)| after);
    let is_port = after
        .split(['/', '?', '#'])
        .next()
        .is_some_and(|port| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    match scheme {
        Some("javascript") => {
            Err(Failure::invalid("`javascript:` URLs are not opened")
                .hint("use `browser_run_code`"))
        }
        Some(_) if !is_port => Ok(url.to_owned()),
        _ => {
            let host = url.split(['/', ':', '?', '#']).next().unwrap_or_default();
            let local =
                host == "localhost" || host.starts_with("127.") || host.ends_with(".localhost");
            Ok(format!("{}://{url}", if local { "http" } else { "https" }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        assert_eq!(complete(given).unwrap(), expected);
    }

    #[test]
    fn a_missing_scheme_is_added() {
        check("example.org", "https://example.org");
        check(" example.org:8443/a ", "https://example.org:8443/a");
        check("localhost:3000", "http://localhost:3000");
        check("127.0.0.1:3000/x", "http://127.0.0.1:3000/x");
        check("http://a", "http://a");
        check("about:blank", "about:blank");
        check("data:text/html,x", "data:text/html,x");
        check("chrome://version", "chrome://version");
    }

    #[test]
    fn what_cannot_be_opened_is_refused() {
        assert!(complete("").is_err());
        assert!(complete("a\nb").is_err());
        assert!(complete("javascript:alert(1)").is_err());
    }
}
