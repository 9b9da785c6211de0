//! Who may: the Host and Origin of a request, and its token.
//!
//! Host and Origin keep out web pages, which can make a browser send requests to loopback, by rebinding
//! a name or with a plain script. The token keeps out everybody else.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use szk_tools::{Call, Code, Failure, Permission};

use crate::app::{App, Who};
use crate::cors::Foreign;
use crate::dashboard;
use crate::error::ErrorReply;
use crate::live_view;
use crate::presence::Answer;

/// The header in which browsers say what made a request. Other programs do not send it.
const FETCH_SITE: &str = "sec-fetch-site";

/// The header in which the users of one token tell themselves apart; each has tabs of its own.
const CLIENT: &str = "szk-client";

/// Longest name in it, in characters.
const LONGEST_NAME: usize = 80;

/// Begins a path that has the token in it, for programs that cannot send headers.
const TOKEN_PATH: &str = "/token/";

/// Refuses requests that a web page made, and those to another name than the server's.
pub(crate) async fn guard(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let foreign = Foreign::of(request.headers(), &app.options.origins);
    match (check(&app, &request, foreign.is_some()), foreign) {
        (Ok(()), None) => next.run(request).await,
        (Ok(()), Some(foreign)) => {
            let mut answer = match foreign.asked_first(request.method(), request.headers()) {
                Some(answer) => answer,
                None => {
                    request.extensions_mut().insert(foreign.clone());
                    next.run(request).await
                }
            };
            foreign.show(&mut answer);
            answer
        }
        (Err(why), _) => {
            let failure = Failure::new(Code::PolicyDenied, why)
                .hint("only programs may use this address, under the name it has");
            ErrorReply::from(failure).into_response()
        }
    }
}

/// Refuses an address whose escapes are no text: axum would, in plain text.
pub(crate) async fn readable(request: Request, next: Next) -> Response {
    if is_text(request.uri().path()) {
        return next.run(request).await;
    }
    let failure = Failure::invalid("the path of the address is not UTF-8")
        .hint("write `%` as `%25`, and other characters as the bytes of their UTF-8");
    ErrorReply::from(failure).into_response()
}

/// Whether a path is UTF-8 once its escapes are resolved.
fn is_text(path: &str) -> bool {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after.get(..2).filter(|_| *first == b'%');
        let escaped = escape
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    std::str::from_utf8(&bytes).is_ok()
}

fn check(app: &App, request: &Request, foreign: bool) -> Result<(), &'static str> {
    let headers = request.headers();
    let port = app.address.port();
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err("a request needs one Host header");
    };
    let host = host.to_str().unwrap_or_default();
    let bare = bare(host);
    let own_port = host.len() == bare.len() || host.ends_with(&format!(":{port}"));
    let named = |name: &String| name.eq_ignore_ascii_case(bare) || name.eq_ignore_ascii_case(host);
    if !(is_loopback(bare) && own_port || app.options.hosts.iter().any(named)) {
        return Err(
            "the Host header does not name this server; `szk serve --host NAME` adds a name",
        );
    }
    if foreign {
        // What is there is for the dashboard's own page alone.
        return match request.uri().path().starts_with("/dashboard/") {
            true => Err("a web page made this request; only the dashboard may"),
            false => Ok(()),
        };
    }
    // A page of the same name that came without encryption is another origin, and may be anybody's.
    let encrypted = app.options.tls.is_some();
    let same = |origin: &str| {
        let plain = origin.strip_prefix("http://").filter(|_| !encrypted);
        plain.or_else(|| origin.strip_prefix("https://")) == Some(host)
    };
    for origin in headers.get_all(header::ORIGIN) {
        if !origin.to_str().is_ok_and(same) {
            return Err("a web page made this request; only programs may");
        }
    }
    let site = headers.get(FETCH_SITE).map(|site| site.as_bytes());
    let here = site.is_none_or(|site| site == b"none" || site == b"same-origin");
    if !here && !live_view::is_followed(request.uri().path(), headers) {
        return Err("a web page made this request; only programs may");
    }
    Ok(())
}

/// A host without its port.
fn bare(host: &str) -> &str {
    match host.rsplit_once(':') {
        // Without brackets, the last group of an IPv6 address is no port.
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    }
}

fn is_loopback(name: &str) -> bool {
    matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost")
}

/// Moves a token from the path into the header: `/token/TOKEN/v1/…` becomes `/v1/…`.
pub(crate) async fn token_out_of_path(mut request: Request) -> Request {
    let path = request.uri().path();
    let Some((token, rest)) = path.strip_prefix(TOKEN_PATH).and_then(|rest| {
        let at = rest.find('/')?;
        Some((rest[..at].to_owned(), rest[at..].to_owned()))
    }) else {
        return request;
    };
    let query = request
        .uri()
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let Ok(uri) = format!("{rest}{query}").parse::<Uri>() else {
        return request;
    };
    *request.uri_mut() = uri;
    request.extensions_mut().insert(PathToken(token));
    request
}

/// A token that stood in the path.
#[derive(Debug, Clone)]
struct PathToken(String);

/// Lets in those with a token, and says who they are.
pub(crate) async fn authorize(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let in_path = request.extensions().get::<PathToken>().cloned();
    let by_cookie = match logged_in(&app, &request, in_path.is_some()) {
        Ok(by_cookie) => by_cookie,
        Err(error) => return error.into_response(),
    };
    let (token, prefix) = match (&in_path, &by_cookie) {
        (Some(PathToken(token)), _) => (token.as_str(), format!("{TOKEN_PATH}{token}")),
        (None, Some(token)) => (token.as_str(), String::new()),
        (None, None) => (bearer(request.headers()).unwrap_or_default(), String::new()),
    };
    let name = request
        .headers()
        .get(CLIENT)
        .and_then(|name| name.to_str().ok());
    let name = name.map(|name| name.trim().chars().take(LONGEST_NAME).collect::<String>());
    let name = name.as_deref().filter(|name| !name.is_empty());
    let name = by_cookie.as_ref().map_or(name, |_| Some(dashboard::CLIENT));
    let base = base(&app, request.headers());
    match app.who(token, name, prefix, base) {
        Ok(Some(who)) => {
            if let Err((left, failure)) = app.limits.count(&who.token.name, Instant::now()) {
                return ErrorReply::from(failure).after(left).into_response();
            }
            let _here = app.presence.of(&who);
            let _working = app.drain.work_on();
            request.extensions_mut().insert(who);
            let response = next.run(request).await;
            response.map(|body| Body::new(Answer { body, _here }))
        }
        Ok(None) => {
            let failure = Failure::new(Code::Unauthorized, "the token is missing, wrong, expired or revoked")
                .hint("send `Authorization: Bearer TOKEN`; `szk token create NAME` on the server makes one");
            ErrorReply::with_status(failure, StatusCode::UNAUTHORIZED).into_response()
        }
        Err(failure) => ErrorReply::from(failure).into_response(),
    }
}

/// The server's address as the client reached it, if that is not by a name of loopback.
fn base(app: &App, headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let encrypted = app.options.tls.is_some() || app.options.behind_proxy;
    let scheme = if encrypted { "https" } else { "http" };
    (!is_loopback(bare(host))).then(|| format!("{scheme}://{host}"))
}

/// The token of a person who is logged in to the dashboard, for a request that brings none itself.
fn logged_in(app: &App, request: &Request, has_token: bool) -> Result<Option<String>, ErrorReply> {
    let headers = request.headers();
    let foreign = request.extensions().get::<Foreign>().is_some();
    if has_token || foreign || headers.contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let token = dashboard::id(headers).and_then(|id| app.logins.token(id));
    // A WebSocket begins with a GET, and is no part of the dashboard.
    if token.is_some() && (request.method() != Method::GET || headers.contains_key(header::UPGRADE))
    {
        dashboard::from_dashboard(headers)?;
    }
    Ok(token)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (value, None) = (all.next()?, all.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl Who {
    /// Refuses a call that the token does not allow.
    pub(crate) fn may(&self, call: &Call) -> Result<(), Failure> {
        let missing = call
            .permissions_with(&self.brought)
            .into_iter()
            .find(|one| !self.allows(*one));
        missing.map_or(Ok(()), |one| Err(self.lacks(one)))
    }

    pub(crate) fn allows(&self, permission: Permission) -> bool {
        self.token.scopes.contains(&permission)
    }

    /// Refuses what needs this permission if the token does not allow it.
    pub(crate) fn needs(&self, permission: Permission) -> Result<(), Failure> {
        match self.allows(permission) {
            true => Ok(()),
            false => Err(self.lacks(permission)),
        }
    }

    pub(crate) fn lacks(&self, permission: Permission) -> Failure {
        Failure::new(
            Code::PolicyDenied,
            format!(
                "the token `{}` does not allow `{}`, which this call needs",
                self.token.name,
                permission.name()
            ),
        )
        .hint(format!(
            "use a token that was made with `--scope {}`",
            permission.name()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_path_are_text() {
        assert!(is_text("/v1/sessions/a%20%c3%bc/x"));
        assert!(is_text("/100%") && is_text("/%zz") && is_text("/%"));
        assert!(!is_text("/v1/%ff") && !is_text("/%c3"));
    }
}
