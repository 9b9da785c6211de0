//! Origins, as `[policy]` writes them and as addresses have them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::{Host, Url};

use crate::InvalidValue;

/// Scheme, host and port of a URL as browsers read it, with the scheme's default port if none is
/// given.
pub(super) struct Address {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Address {
    pub(super) fn of(url: &Url) -> Self {
        let scheme = match url.scheme() {
            // WebSockets reach the same servers.
            "ws" => "http",
            "wss" => "https",
            other => other,
        };
        Self {
            scheme: scheme.to_owned(),
            host: ascii(url.host_str().unwrap_or_default()),
            port: url.port_or_known_default(),
        }
    }
}

fn ascii(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn own_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// `host:port`, `[::1]:port`.
fn split_port(host: &str) -> Option<(&str, Option<&str>)> {
    if host.starts_with('[') {
        let end = host.find(']')?;
        return match &host[end + 1..] {
            "" => Some((host, None)),
            rest => Some((&host[..=end], Some(rest.strip_prefix(':')?))),
        };
    }
    Some(match host.split_once(':') {
        Some((host, port)) => (host, Some(port).filter(|port| !port.is_empty())),
        None => (host, None),
    })
}

/// `example.com`, `*.example.com`, `https://example.com`, `http://localhost:*`, `file://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginPattern {
    text: String,
    scheme: Option<String>,
    host: String,
    port: Port,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Any,
    One(u16),
}

impl OriginPattern {
    /// Whether the pattern covers this address or origin.
    #[must_use]
    pub fn covers(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.fits(&Address::of(&url)))
    }

    pub(super) fn fits(&self, address: &Address) -> bool {
        let scheme = match &self.scheme {
            Some(scheme) => *scheme == address.scheme,
            None => matches!(address.scheme.as_str(), "http" | "https"),
        };
        let host = match self.host.strip_prefix("*.") {
            Some(domain) => address
                .host
                .strip_suffix(domain)
                .is_some_and(|below| below.ends_with('.') && below.len() > 1),
            // `file://` means every file, whatever host its address names.
            None if self.host.is_empty() => true,
            None => self.host == "*" || self.host == address.host,
        };
        let port = match self.port {
            Port::Any => true,
            Port::One(port) => address.port == Some(port),
        };
        scheme && host && port
    }

    /// The host as Chromium writes it, possibly with a leading `*.`; empty for schemes without hosts.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, if the pattern names one.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match self.port {
            Port::Any => None,
            Port::One(port) => Some(port),
        }
    }

    /// Reads a pattern. Non-ASCII names become what Chromium calls them (`bücher.example` is
    /// `xn--bcher-kva.example`).
    ///
    /// # Errors
    /// Not a valid pattern; the message lists examples.
    pub fn read(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || {
            InvalidValue::new(format!(
                "`{text}` is not an origin such as `https://example.com`, `*.example.com` or `http://localhost:*`"
            ))
        };
        let lower = text.to_ascii_lowercase();
        let (scheme, rest) = match lower.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
            None => (None, lower.as_str()),
        };
        let good_scheme = scheme.as_ref().is_none_or(|scheme| {
            let good = |b: u8| b.is_ascii_alphanumeric() || b"+.-".contains(&b);
            !scheme.is_empty() && scheme.bytes().all(good) && scheme != "ws" && scheme != "wss"
        });
        let (host, port) = split_port(rest).ok_or_else(wrong)?;
        let port = match port {
            Some("*") => Port::Any,
            Some(port) => Port::One(port.parse().map_err(|_| wrong())?),
            // An origin without a port means its scheme's port; a bare host means anything that runs
            // on it.
            None => match scheme.as_deref().and_then(own_port) {
                Some(port) => Port::One(port),
                None => Port::Any,
            },
        };
        let hostless = matches!(scheme.as_deref(), Some(scheme) if own_port(scheme).is_none());
        let host = match host {
            "" if hostless => String::new(),
            "*" => "*".to_owned(),
            host => match host.strip_prefix("*.") {
                Some(domain) => format!("*.{}", name(domain).ok_or_else(wrong)?),
                None => name(host).ok_or_else(wrong)?,
            },
        };
        if !good_scheme {
            return Err(wrong());
        }
        Ok(Self {
            scheme,
            host,
            port,
            text: text.to_owned(),
        })
    }
}

/// A host as Chromium reports it.
fn name(host: &str) -> Option<String> {
    if host.starts_with('.') || host.contains('*') {
        return None;
    }
    let host = Host::parse(host.trim_end_matches('.')).ok()?;
    Some(ascii(&host.to_string()))
}

impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for OriginPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for OriginPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, covered: &[&str], others: &[&str]) {
        let pattern = OriginPattern::read(pattern).unwrap();
        for url in covered {
            assert!(pattern.covers(url), "{pattern} covers {url}");
        }
        for url in others {
            assert!(!pattern.covers(url), "{pattern} does not cover {url}");
        }
    }

    #[test]
    fn names_outside_ascii_are_what_chromium_calls_them() {
        let covered = [
            "https://bücher.example/",
            "https://BÜCHER.example",
            "https://xn--bcher-kva.example/x",
            "http://b%C3%BCcher.example:8080",
        ];
        let others = ["https://bucher.example/", "https://a.bücher.example/"];
        check("bücher.example", &covered, &others);
        check("https://xn--bcher-kva.example", &covered[..3], &others);
        check(
            "*.bücher.example",
            &["https://a.xn--bcher-kva.example"],
            &covered,
        );
        check("straße.example", &["https://straße.example/"], &[]);
        assert_eq!(
            OriginPattern::read("*.Bücher.example.").unwrap().host(),
            "*.xn--bcher-kva.example"
        );
    }

    #[test]
    fn one_host_has_one_name_however_it_is_written() {
        check(
            "127.0.0.1",
            &["http://127.1/", "http://0x7f.0.0.1", "http://2130706433/"],
            &["http://127.0.0.2/"],
        );
        check("[0:0::1]", &["http://[::1]:80/"], &["http://[::2]/"]);
        check(
            "a.example",
            &["https://a.example./", "https://A.EXAMPLE"],
            &[],
        );
    }

    #[test]
    fn a_scheme_without_hosts_is_meant_as_a_whole() {
        check(
            "file://",
            &["file:///etc/passwd", "file://host/x"],
            &["http://file/"],
        );
        check(
            "chrome-extension://",
            &["chrome-extension://abc/x.html"],
            &["https://abc/"],
        );
    }

    #[test]
    fn what_is_not_an_origin_is_refused() {
        for wrong in [
            "",
            "https://",
            "https://a/b",
            "a b",
            "*x.example",
            "a.*",
            "*.",
            "http://a:x",
            "ws://a",
            "xn--a.example",
            "user@a.example",
        ] {
            assert!(OriginPattern::read(wrong).is_err(), "{wrong}");
        }
    }
}
