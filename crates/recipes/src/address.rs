//! Addresses: origins, paths, and patterns for them.

use url::Url;

/// The origin of an address, such as `https://shop.example`; `None` for one without.
#[must_use]
pub fn origin(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// Path and query of an address.
#[must_use]
pub fn path(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return String::new();
    };
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// The path of an address with `*` for the values of its query.
pub(crate) fn pattern(url: &str) -> String {
    let whole = path(url);
    let Some((path, query)) = whole.split_once('?') else {
        return whole;
    };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) => format!("{name}=*"),
        None => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// Whether a pattern with `*` for anything fits the path and query of an address, or its path alone.
#[must_use]
pub fn matches(pattern: &str, url: &str) -> bool {
    let whole = path(url);
    let bare = whole.split('?').next().unwrap_or_default();
    fits(pattern, &whole) || (!pattern.contains('?') && fits(pattern, bare)) || fits(pattern, url)
}

/// Whether a pattern with `*` for anything fits a text.
#[must_use]
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, url: &str, expected: bool) {
        assert_eq!(matches(pattern, url), expected, "{pattern} {url}");
    }

    #[test]
    fn patterns_fit_paths() {
        check("/orders", "https://a.example/orders", true);
        check("/orders", "https://a.example/orders?q=1", true);
        check("/orders?q=*", "https://a.example/orders?q=1", true);
        check("/orders?q=*", "https://a.example/orders", false);
        check("/orders/*/edit", "https://a.example/orders/7/edit", true);
        check("/orders/*/edit", "https://a.example/orders/7", false);
        check("https://b.example/*", "https://a.example/", false);
        check("*", "about:blank", true);
        check("/a*a", "https://a.example/a", false);
    }

    #[test]
    fn origins_and_patterns_come_from_addresses() {
        let of = |url: &str| origin(url);
        assert_eq!(
            of("https://a.example:443/x").as_deref(),
            Some("https://a.example")
        );
        assert_eq!(
            of("http://127.0.0.1:81/").as_deref(),
            Some("http://127.0.0.1:81")
        );
        assert_eq!(of("about:blank"), None);
        assert_eq!(pattern("https://a.example/o?q=7&x"), "/o?q=*&x");
    }
}
