//! Who is let in: the token, the Host, the Origin.
//!
//! The token keeps other local users and programs out. Host and Origin keep web pages out, which can
//! make the browser send requests to loopback: one by rebinding a name, the other by a plain script.

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderValue, ORIGIN};
use szk_config::EndpointAuth;
use szk_store::Token;

/// In a path, after the token: this client does without the shield.
pub(super) const UNSHIELDED: &str = "no-shield";

/// The rules of one door.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: Token,
    pub(super) auth: EndpointAuth,
    pub(super) allowed_origins: Vec<String>,
    pub(super) port: u16,
}

/// What a request may do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict<'a> {
    /// Come in.
    Pass(Pass<'a>),
    /// No token: there is nothing here.
    Unknown,
    /// The token is right, something else is not; worth telling.
    Refused(&'static str),
}

/// A request that was let in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pass<'a> {
    /// The path behind the token.
    pub(super) path: &'a str,
    /// The Host as asked.
    pub(super) host: &'a str,
    /// Whether this client does without the shield.
    pub(super) unshielded: bool,
    /// Whether the token was shown. Addresses in answers contain it only then, so that an endpoint
    /// without authentication does not give it away.
    pub(super) shown: bool,
}

impl Guard {
    /// What goes between the authority and the path of an address that contains the token.
    pub(super) fn prefix(&self) -> String {
        format!("/{}", self.token.reveal())
    }

    /// Judges a request by its path and headers.
    pub(super) fn judge<'a>(&self, path: &'a str, headers: &'a HeaderMap) -> Verdict<'a> {
        let (first, rest) = split(path);
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(bearer)
            .unwrap_or_default();
        // Both compared always, each in a time that does not tell how much of it was right.
        let in_path = self.token.matches(first);
        let in_header = self.token.matches(bearer);
        let shown = in_path | in_header;
        if !shown && self.auth != EndpointAuth::None {
            return Verdict::Unknown;
        }
        let Some(host) = self.host(headers) else {
            return Verdict::Refused(
                "the Host header must be 127.0.0.1, localhost or [::1] with this port",
            );
        };
        if !self.origin_allowed(headers) {
            return Verdict::Refused(
                "requests with this Origin header are not allowed; see `endpoint.allowed_origins`",
            );
        }
        let path = if in_path { rest } else { path };
        let (path, unshielded) = match split(path) {
            (UNSHIELDED, rest) => (rest, true),
            _ => (path, false),
        };
        Verdict::Pass(Pass {
            path,
            host,
            unshielded,
            shown,
        })
    }

    fn host<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return None;
        };
        let host = host.to_str().ok()?;
        let (name, port) = host.rsplit_once(':')?;
        let loopback =
            matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost");
        (loopback && port.parse() == Ok(self.port)).then_some(host)
    }

    fn origin_allowed(&self, headers: &HeaderMap) -> bool {
        let allowed = |origin: &HeaderValue| {
            self.allowed_origins
                .iter()
                .any(|name| name.as_bytes() == origin.as_bytes())
        };
        headers.get_all(ORIGIN).iter().all(allowed)
    }
}

/// `/first/rest` as `first` and `/rest`.
fn split(path: &str) -> (&str, &str) {
    let path = path.strip_prefix('/').unwrap_or(path);
    match path.find('/') {
        Some(at) => path.split_at(at),
        None => (path, "/"),
    }
}

fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}
