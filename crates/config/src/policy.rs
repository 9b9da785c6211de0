//! What a session may do: `[policy]`.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::InvalidValue;

/// The limits of a session. Without any, everything is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Only these origins; `None` means all.
    pub allowed_origins: Option<Vec<OriginPattern>>,
    /// Never these, even when they are allowed.
    pub denied_origins: Vec<OriginPattern>,
    /// Only files at or below these paths may be read; `None` means all.
    pub read: Option<Vec<PathBuf>>,
    /// The same for writing.
    pub write: Option<Vec<PathBuf>>,
    /// Whether files may be downloaded.
    pub downloads: bool,
    /// Whether callers may run JavaScript.
    pub run_code: bool,
    /// Whether it may run in the page's own world.
    pub main_world: bool,
    /// Whether callers may run programs, which have the user's rights. `None`: unless files or exports
    /// are limited.
    pub programs: Option<bool>,
    /// Whether cookies and storage may be exported.
    pub export_cookies: bool,
}

impl Policy {
    /// Whether requests need looking at.
    #[must_use]
    pub fn limits_origins(&self) -> bool {
        self.allowed_origins.is_some() || !self.denied_origins.is_empty()
    }

    /// Whether a page may be at this address, and a request go there. Blank pages and what a page makes
    /// itself (`data:`, `blob:` of an allowed origin) are always allowed.
    #[must_use]
    pub fn allows(&self, url: &str) -> bool {
        if !self.limits_origins()
            || url.is_empty()
            || url.starts_with("about:")
            || url.starts_with("data:")
        {
            return true;
        }
        let address = Address::of(url.strip_prefix("blob:").unwrap_or(url));
        let Some(address) = address else {
            // `blob:null/…` and the like: nobody's.
            return self.allowed_origins.is_none();
        };
        let fits = |pattern: &OriginPattern| pattern.fits(&address);
        !self.denied_origins.iter().any(fits)
            && self
                .allowed_origins
                .as_ref()
                .is_none_or(|allowed| allowed.iter().any(fits))
    }
}

/// Scheme, host and port of a URL, in lower case, with the scheme's own port where none is named.
struct Address {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Address {
    fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once(':')?;
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            // The same servers.
            "ws" => "http".to_owned(),
            "wss" => "https".to_owned(),
            other => other.to_owned(),
        };
        let rest = rest.strip_prefix("//").unwrap_or_default();
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let host = rest[..end].rsplit('@').next().unwrap_or_default();
        let (host, port) = split_port(host)?;
        let port = match port {
            Some(port) => Some(port.parse().ok()?),
            None => own_port(&scheme),
        };
        Some(Self {
            host: host.trim_end_matches('.').to_ascii_lowercase(),
            port,
            scheme,
        })
    }
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
    /// Whether a page at this address, or of this origin, is meant.
    #[must_use]
    pub fn covers(&self, url: &str) -> bool {
        Address::of(url).is_some_and(|address| self.fits(&address))
    }

    fn fits(&self, address: &Address) -> bool {
        let scheme = match &self.scheme {
            Some(scheme) => *scheme == address.scheme,
            None => matches!(address.scheme.as_str(), "http" | "https"),
        };
        let host = match self.host.strip_prefix("*.") {
            Some(domain) => address
                .host
                .strip_suffix(domain)
                .is_some_and(|below| below.ends_with('.') && below.len() > 1),
            None => self.host == "*" || self.host == address.host,
        };
        let port = match self.port {
            Port::Any => true,
            Port::One(port) => address.port == Some(port),
        };
        scheme && host && port
    }

    /// The host, perhaps with a leading `*.`; empty for schemes without hosts.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, where it is one.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        match self.port {
            Port::Any => None,
            Port::One(port) => Some(port),
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// It is none, with examples of what is.
    pub fn read(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || {
            InvalidValue::new(format!(
                "`{text}` is no origin such as `https://example.com`, `*.example.com` or `http://localhost:*`"
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
            // An origin without a port is that of its scheme; a bare host means whatever runs on it.
            None => match scheme.as_deref().and_then(own_port) {
                Some(port) => Port::One(port),
                None => Port::Any,
            },
        };
        let hostless = matches!(scheme.as_deref(), Some(scheme) if own_port(scheme).is_none());
        let name = host.strip_prefix("*.").unwrap_or(host);
        let good_host = (host.is_empty() && hostless)
            || host == "*"
            || (!name.is_empty()
                && !name.starts_with('.')
                && !name.contains(['*', '/', '?', '#', '@', ' ', '\\']));
        if !good_scheme || !good_host {
            return Err(wrong());
        }
        Ok(Self {
            scheme,
            host: host.trim_end_matches('.').to_owned(),
            port,
            text: text.to_owned(),
        })
    }
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

    fn policy(allowed: Option<&[&str]>, denied: &[&str]) -> Policy {
        let read = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| OriginPattern::read(text).unwrap())
                .collect()
        };
        Policy {
            allowed_origins: allowed.map(read),
            denied_origins: read(denied),
            ..Policy::default()
        }
    }

    #[track_caller]
    fn check(policy: &Policy, allowed: &[&str], denied: &[&str]) {
        for url in allowed {
            assert!(policy.allows(url), "{url} is allowed");
        }
        for url in denied {
            assert!(!policy.allows(url), "{url} is denied");
        }
    }

    #[test]
    fn without_origins_everything_is_allowed() {
        check(
            &policy(None, &[]),
            &["https://a.example/", "file:///etc/passwd", "chrome://x"],
            &[],
        );
    }

    #[test]
    fn allowed_ones_and_no_others() {
        check(
            &policy(
                Some(&["https://a.example", "*.b.example", "http://localhost:*"]),
                &[],
            ),
            &[
                "https://a.example/x?y",
                "https://A.example:443",
                "wss://a.example/socket",
                "http://x.b.example:8080/",
                "http://localhost:3000/",
                "about:blank",
                "data:text/html,x",
                "blob:https://a.example/1",
            ],
            &[
                "http://a.example/",
                "https://a.example:8443/",
                "https://xa.example/",
                "https://a.example.evil.example/",
                "https://a.example@evil.example/",
                "https://evil.example/#https://a.example",
                "https://evil.example\\@a.example/",
                "https://b.example/",
                "https://xb.example/",
                "file:///etc/passwd",
                "chrome://settings",
                "blob:null/1",
                "nonsense",
            ],
        );
    }

    #[test]
    fn denied_ones_win() {
        check(
            &policy(None, &["ads.example", "*.ads.example", "file://"]),
            &["https://example.com/", "https://notads.example"],
            &[
                "https://ads.example:99/",
                "http://x.y.ads.example",
                "https://ads.example./",
                "file:///etc/passwd",
            ],
        );
        check(
            &policy(Some(&["*"]), &["https://a.example"]),
            &["https://b.example", "http://a.example"],
            &["https://a.example/"],
        );
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for wrong in [
            "",
            "https://",
            "https://a/b",
            "a b",
            "*x.example",
            "a.*",
            "http://a:x",
            "ws://a",
        ] {
            assert!(OriginPattern::read(wrong).is_err(), "{wrong}");
        }
    }
}
