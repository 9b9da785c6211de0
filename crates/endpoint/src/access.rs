//! Access control: the token, the Host and the Origin of a request.
//!
//! The token keeps out other local users and programs. Host and Origin keep out web pages, which can
//! make the browser send requests to loopback, by rebinding a host name or with a plain script.

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HOST, HeaderValue, ORIGIN};
use szk_config::EndpointAuth;
use szk_store::Token;

/// The header in which browsers say what made a request. Other programs do not send it.
const FETCH_SITE: &str = "sec-fetch-site";

/// In a path, after the token: this client gets no shield.
pub(super) const UNSHIELDED: &str = "no-shield";

/// The access rules of one listener.
#[derive(Debug)]
pub(super) struct AccessCheck {
    pub(super) token: Token,
    pub(super) auth: EndpointAuth,
    pub(super) allowed_origins: Vec<String>,
}

/// How a connection reached the listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IncomingPort {
    /// The port it came to.
    pub(super) port: u16,
    /// The system says that a program of this user connected, to the port that needs no token.
    pub(super) vouched: bool,
}

/// The decision about a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict<'a> {
    /// It is admitted.
    Admitted(Admitted<'a>),
    /// The token is missing or wrong: answer as if there were nothing here.
    Unknown,
    /// The token is right, but something else is not, which is worth saying.
    Refused(&'static str),
}

/// An admitted request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Admitted<'a> {
    /// The path behind the token.
    pub(super) path: &'a str,
    /// The Host as asked, with the port.
    pub(super) host: Cow<'a, str>,
    /// Whether this client gets no shield.
    pub(super) unshielded: bool,
    /// Whether the request contained the token. Only then do addresses in answers contain it, so that an
    /// endpoint without authentication does not give it away.
    pub(super) shown: bool,
}

impl AccessCheck {
    /// The part of a token address between authority and path.
    pub(super) fn prefix(&self) -> String {
        format!("/{}", self.token.reveal())
    }

    /// Decides about a request by its port, path and headers.
    pub(super) fn judge<'a>(
        &self,
        incoming: IncomingPort,
        path: &'a str,
        headers: &'a HeaderMap,
    ) -> Verdict<'a> {
        let (first, rest) = split(path);
        let bearer = headers
            .get(AUTHORIZATION)
            .and_then(bearer)
            .unwrap_or_default();
        // Always compare both, in constant time.
        let in_path = self.token.matches(first);
        let in_header = self.token.matches(bearer);
        let shown = in_path | in_header;
        if !shown && !incoming.vouched && self.auth != EndpointAuth::None {
            return Verdict::Unknown;
        }
        let Some(host) = host(headers, incoming.port) else {
            return Verdict::Refused(
                "the Host header must be 127.0.0.1, localhost or [::1], without a port or with this one",
            );
        };
        if !shown && self.by_a_page(headers) {
            return Verdict::Refused("a web page made this request; only programs may connect");
        }
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
        Verdict::Admitted(Admitted {
            path,
            host,
            unshielded,
            shown,
        })
    }

    fn origin_allowed(&self, headers: &HeaderMap) -> bool {
        let allowed = |origin: &HeaderValue| {
            self.allowed_origins
                .iter()
                .any(|name| name.as_bytes() == origin.as_bytes())
        };
        headers.get_all(ORIGIN).iter().all(allowed)
    }

    /// Whether a web page sent this. A page can send a plain `GET` to loopback without an `Origin`, so
    /// where no secret keeps it out, its browser's own header does.
    fn by_a_page(&self, headers: &HeaderMap) -> bool {
        let allowed = headers.contains_key(ORIGIN) && self.origin_allowed(headers);
        let told = headers.get(FETCH_SITE);
        !allowed && told.is_some_and(|site| site.as_bytes() != b"none")
    }
}

/// The Host header, if it is loopback; with `port`, which some clients leave out.
fn host(headers: &HeaderMap, port: u16) -> Option<Cow<'_, str>> {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return None;
    };
    let host = host.to_str().ok()?;
    if is_loopback(host) {
        return Some(format!("{host}:{port}").into());
    }
    let (name, named) = host.rsplit_once(':')?;
    (is_loopback(name) && named.parse() == Ok(port)).then_some(host.into())
}

fn is_loopback(name: &str) -> bool {
    matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost")
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
