//! Addresses as people write them.

use szk_config::{Address, Leads};
use szk_tools::Failure;

use super::super::shown;

/// Schemes of code, which `browser_run_code` runs.
const CODE: [&str; 2] = ["javascript", "vbscript"];
/// Schemes of pages.
const PAGES: [&str; 11] = [
    "about",
    "blob",
    "chrome",
    "chrome-extension",
    "data",
    "devtools",
    "file",
    "filesystem",
    "http",
    "https",
    "view-source",
];
/// Endings that files have and hosts have not.
const ENDINGS: [&str; 14] = [
    "css", "csv", "gif", "htm", "html", "jpeg", "jpg", "js", "json", "pdf", "png", "svg", "txt",
    "xml",
];

/// `example.org/a` → `https://example.org/a`; hosts of this machine get `http://`. What is not an address
/// is refused before the tab leaves its page.
pub(crate) fn complete(given: &str) -> Result<String, Failure> {
    let given = given.trim();
    if given.is_empty() || given.chars().any(char::is_control) {
        return Err(Failure::invalid("`url` is empty or has control characters").about(["url"]));
    }
    match scheme(given) {
        Some(scheme) => with_scheme(given, &scheme),
        None => without_scheme(given),
    }
}

/// The scheme in lower case; `host:port` has none.
fn scheme(given: &str) -> Option<String> {
    let (scheme, after) = given.split_once(':')?;
    let letters = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let good = scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(letters);
    let scheme = scheme.to_ascii_lowercase();
    let known = CODE.contains(&&*scheme) || PAGES.contains(&&*scheme);
    let port = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    (good && (known || !is_port)).then_some(scheme)
}

fn with_scheme(given: &str, scheme: &str) -> Result<String, Failure> {
    match (scheme, Address::read(given).leads) {
        (scheme, _) if CODE.contains(&scheme) => {
            Err(Failure::invalid("`javascript:` URLs are not opened")
                .hint("use `browser_run_code`"))
        }
        _ if !PAGES.contains(&scheme) => Err(not_an_address(
            given,
            &format!("the browser does not open `{scheme}:` addresses"),
        )),
        (_, Leads::Unreadable | Leads::Foreign) => Err(not_an_address(given, "it is not a URL")),
        _ => Ok(given.to_owned()),
    }
}

fn without_scheme(given: &str) -> Result<String, Failure> {
    let authority = given.split(['/', '?', '#']).next().unwrap_or_default();
    if given.starts_with(['/', '.', '~', '\\']) {
        return Err(not_an_address(given, "it is a path")
            .hint("ask a person to open the file with `szk open PROFILE FILE`, or write it as `file:///path` if `[policy] file_urls` is true"));
    }
    let (host, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    let ending = host.rsplit_once('.').map(|(_, ending)| ending);
    let local = host == "localhost"
        || host.starts_with("127.")
        || host.ends_with(".localhost")
        || host.starts_with('[');
    let named =
        local || !port.is_empty() || ending.is_some_and(|ending| !ENDINGS.contains(&ending));
    if !named || host.contains(char::is_whitespace) || host.contains('@') {
        return Err(not_an_address(given, "it has no host"));
    }
    let url = format!("{}://{given}", if local { "http" } else { "https" });
    match Address::read(&url).leads {
        Leads::Origin => Ok(url),
        _ => Err(not_an_address(given, "it is not a URL")),
    }
}

fn not_an_address(given: &str, why: &str) -> Failure {
    let shown = shown(given);
    Failure::invalid(format!("`{shown}` is not an address of a page: {why}"))
        .hint("write it as `https://example.com/page` or `example.com/page`")
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
        check("example.com/x", "https://example.com/x");
        check("example.com/a b", "https://example.com/a b");
        check("example.com/index.html", "https://example.com/index.html");
        check("example.com?q=a b", "https://example.com?q=a b");
        check(" example.org:8443/a ", "https://example.org:8443/a");
        check("bücher.example", "https://bücher.example");
        check("host:8080", "https://host:8080");
        check("localhost", "http://localhost");
        check("localhost:3000", "http://localhost:3000");
        check("app.localhost/x", "http://app.localhost/x");
        check("127.0.0.1:8080", "http://127.0.0.1:8080");
        check("127.0.0.1:3000/x", "http://127.0.0.1:3000/x");
        check("[::1]:3000/x", "http://[::1]:3000/x");
    }

    #[test]
    fn what_has_a_scheme_stays_as_it_is() {
        for whole in [
            "http://a",
            "HTTPS://A.example/x",
            "about:blank",
            "data:text/html,x",
            "chrome://version",
            "view-source:https://a.example/",
            "file:///tmp/a b.html",
        ] {
            check(whole, whole);
        }
    }

    #[test]
    fn what_cannot_be_opened_is_refused() {
        for wrong in [
            "",
            " ",
            "a\nb",
            "hello world",
            "hello",
            "hello/world",
            "/etc/hostname",
            "//example.com",
            "./x.html",
            "../x.html",
            "x.html",
            "~/x.html",
            "\\\\server\\share",
            "C:\\x.html",
            "c:/x.html",
            "javascript:alert(1)",
            "JavaScript:1",
            "javascript:8080/x",
            "JavaScript:alert(1)",
            "vbscript:x",
            "ftp://example.com/",
            "mailto:a@example.com",
            "a@example.com",
            "view-source:javascript:1",
            "http://",
            "https://a b/",
            "http://a:port/",
            "example.com:99999",
            "?q=x",
            "#x",
        ] {
            let failure = complete(wrong).expect_err(wrong);
            assert_eq!(failure.code, szk_tools::Code::InvalidInput, "{wrong}");
        }
        assert!(
            complete("/etc/hostname")
                .unwrap_err()
                .hint
                .unwrap()
                .contains("szk open")
        );
    }
}
