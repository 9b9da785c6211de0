//! A proxy's URL, whose password must not reach a screen or a log.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::nearest::nearest;

/// A proxy URL: `http`, `https`, `socks4` or `socks5`, a host, and optionally a port and a login.
///
/// `Display` and `Debug` hide the login; serialising keeps it, because a profile must save it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Proxy(String);

impl Proxy {
    /// The schemes Chromium understands in `--proxy-server`.
    pub const SCHEMES: [&str; 4] = ["http", "https", "socks4", "socks5"];

    /// The whole URL with its login, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The URL without the login: the form `--proxy-server` takes.
    pub fn server(&self) -> String {
        let (scheme, _, host) = split(&self.0);
        format!("{scheme}://{host}")
    }

    /// The host, an IPv6 address without its brackets.
    pub fn host(&self) -> &str {
        let (_, _, host) = split(&self.0);
        match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, _)) => address,
            None => host.split_once(':').map_or(host, |(name, _)| name),
        }
    }

    /// User and password, percent-decoded, if the URL carries them.
    ///
    /// Chromium ignores a login in `--proxy-server`; it must be supplied when the proxy asks.
    pub fn login(&self) -> Option<(String, String)> {
        let (_, login, _) = split(&self.0);
        let login = login?;
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        Some((percent_decoded(user), percent_decoded(password)))
    }
}

impl FromStr for Proxy {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let shown = hidden_login(text);
        let schemes = "`http`, `https`, `socks4`, `socks5`";
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(InvalidValue::new(format!(
                "`{shown}` has no scheme: begin with one of {schemes}, then `://`"
            ))
            .meant(is_host(text).then(|| format!("http://{text}"))));
        };
        if !Self::SCHEMES.contains(&scheme) {
            return Err(InvalidValue::new(format!(
                "`{scheme}` is not a proxy scheme: expected one of {schemes}"
            ))
            .meant(meant(scheme)));
        }
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        if !is_host(host.strip_suffix('/').unwrap_or(host)) {
            return Err(InvalidValue::new(format!(
                "`{shown}` is not a proxy: expected `{scheme}://host:port`"
            )));
        }
        if scheme.starts_with("socks") && rest.contains('@') {
            return Err(InvalidValue::new(
                "Chromium cannot log in to a SOCKS proxy: leave the login out",
            ));
        }
        Ok(Self(text.strip_suffix('/').unwrap_or(text).to_owned()))
    }
}

/// The scheme for a typo, or for a variant that means "the proxy resolves names", which Chromium
/// always does.
fn meant(scheme: &str) -> Option<&'static str> {
    match scheme.to_ascii_lowercase().as_str() {
        "socks5h" | "socks" => Some("socks5"),
        "socks4a" => Some("socks4"),
        scheme => nearest(scheme, Proxy::SCHEMES),
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hidden_login(&self.0))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self})")
    }
}

impl TryFrom<String> for Proxy {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Proxy> for String {
    fn from(proxy: Proxy) -> Self {
        proxy.0
    }
}

/// The text with everything before its last `@` hidden, even if it is not a valid URL: an error about
/// a mistyped scheme must not print the password next to it.
pub(crate) fn hidden_login(text: &str) -> String {
    let Some((before, host)) = text.rsplit_once('@') else {
        return text.to_owned();
    };
    match before.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://***@{host}"),
        None => format!("***@{host}"),
    }
}

/// Scheme, login and host of a checked URL.
fn split(url: &str) -> (&str, Option<&str>, &str) {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    match rest.rsplit_once('@') {
        Some((login, host)) => (scheme, Some(login), host),
        None => (scheme, None, rest),
    }
}

/// `name`, `name:port`, `[::1]` or `[::1]:port`; no path, no query.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) => {
                let six = address.parse::<std::net::Ipv6Addr>().is_ok();
                (if six { "v6" } else { "" }, port)
            }
            None => return false,
        },
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    let port_fits = |digits: &str| digits.parse::<u16>().is_ok_and(|port| port > 0);
    !name.is_empty()
        && name.bytes().all(plain)
        && (port.is_empty() || port.strip_prefix(':').is_some_and(port_fits))
}

/// Decodes `%40` and the like; leaves invalid escapes as written.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        let escaped = hex
            .filter(|_| first == b'%')
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(escaped.unwrap_or(first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = text
            .parse::<Proxy>()
            .map_or_else(|e| e.to_string(), |p| p.to_string());
        assert_eq!(shown, expected);
    }

    #[test]
    fn accepts_the_four_schemes() {
        check("http://proxy.example:3128", "http://proxy.example:3128");
        check("https://proxy.example/", "https://proxy.example");
        check("socks4://10.0.0.1:1080", "socks4://10.0.0.1:1080");
        check("socks5://[::1]:1080", "socks5://[::1]:1080");
    }

    #[test]
    fn hides_the_login_even_when_wrong() {
        check("http://jane:s3cret@proxy:3128", "http://***@proxy:3128");
        check("http://jane:p@ss@proxy:3128", "http://***@proxy:3128");
        check(
            "jane:s3cret@proxy:3128",
            "`***@proxy:3128` has no scheme: begin with one of `http`, `https`, `socks4`, `socks5`, then `://`",
        );
        check(
            "http://jane:s3cret@",
            "`http://***@` is not a proxy: expected `http://host:port`",
        );
        let proxy: Proxy = "http://jane:s3cret@proxy:3128".parse().unwrap();
        assert_eq!(format!("{proxy:?}"), "Proxy(http://***@proxy:3128)");
    }

    #[test]
    fn refuses_what_chromium_cannot_use() {
        check(
            "ftp://proxy:21",
            "`ftp` is not a proxy scheme: expected one of `http`, `https`, `socks4`, `socks5`",
        );
        check(
            "http://proxy:99999",
            "`http://proxy:99999` is not a proxy: expected `http://host:port`",
        );
        check(
            "http://proxy/path",
            "`http://proxy/path` is not a proxy: expected `http://host:port`",
        );
        check(
            "http://[zz]:1",
            "`http://[zz]:1` is not a proxy: expected `http://host:port`",
        );
        check(
            "socks5://a:b@proxy:1",
            "Chromium cannot log in to a SOCKS proxy: leave the login out",
        );
    }

    #[test]
    fn gives_server_and_login_apart() {
        let proxy: Proxy = "http://jane:p%40ss%zz@proxy:3128".parse().unwrap();
        assert_eq!(proxy.server(), "http://proxy:3128");
        assert_eq!(
            proxy.login(),
            Some(("jane".to_owned(), "p@ss%zz".to_owned()))
        );
        let proxy: Proxy = "http://proxy:3128".parse().unwrap();
        assert_eq!((proxy.login(), proxy.host()), (None, "proxy"));
        assert_eq!(
            "socks5://[::1]:1080".parse::<Proxy>().unwrap().host(),
            "::1"
        );
    }
}
