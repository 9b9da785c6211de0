//! The paths of the endpoint, behind the token: the same as Chromium's own.

use hyper::Method;

/// The requested resource.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Route<'a> {
    /// `/json/version`
    Version,
    /// `/json` and `/json/list`
    List,
    /// `/json/new?<url>`
    New,
    /// `/json/close/<target>`
    Close(&'a str),
    /// `/json/activate/<target>`
    Activate(&'a str),
    /// `/json/protocol`
    Protocol,
    /// `/devtools/browser/<id>`
    Browser(&'a str),
    /// `/devtools/page/<target>`
    Page(&'a str),
}

impl<'a> Route<'a> {
    /// Parses a path. Allows a trailing slash: Playwright requests `/json/version/`.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        let path = path.strip_suffix('/').unwrap_or(path);
        Some(match path.split('/').collect::<Vec<_>>()[..] {
            ["json", "version"] => Self::Version,
            ["json"] | ["json", "list"] => Self::List,
            ["json", "new"] => Self::New,
            ["json", "close", target] => Self::Close(target),
            ["json", "activate", target] => Self::Activate(target),
            ["json", "protocol"] => Self::Protocol,
            ["devtools", "browser", id] => Self::Browser(id),
            ["devtools", "page", target] => Self::Page(target),
            _ => return None,
        })
    }

    /// The only method it accepts. Opening a page is `PUT`, so that no plain link can do it.
    pub(super) fn method(&self) -> Method {
        match self {
            Self::New => Method::PUT,
            _ => Method::GET,
        }
    }

    /// Whether it accepts this method, which some clients write in lower case, as Chromium allows.
    pub(super) fn takes(&self, method: &Method) -> bool {
        method.as_str().eq_ignore_ascii_case(self.method().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, route: Option<Route<'_>>) {
        assert_eq!(Route::parse(path), route, "{path}");
    }

    #[test]
    fn paths_are_chromiums() {
        check("/json/version", Some(Route::Version));
        check("/json/version/", Some(Route::Version));
        check("/json", Some(Route::List));
        check("/json/", Some(Route::List));
        check("/json/list", Some(Route::List));
        check("/json/new", Some(Route::New));
        check("/json/close/T", Some(Route::Close("T")));
        check("/json/activate/T", Some(Route::Activate("T")));
        check("/json/protocol/", Some(Route::Protocol));
        check("/devtools/browser/B", Some(Route::Browser("B")));
        check("/devtools/page/T", Some(Route::Page("T")));
    }

    #[test]
    fn nothing_else_is_a_path() {
        for path in [
            "",
            "/",
            "//",
            "json",
            "/json/other",
            "/json/close",
            "/json/version//",
            "/devtools/page/T/x",
        ] {
            check(path, None);
        }
    }
}
