//! `/handoff/SESSION/TOKEN/`: the live view of a hand-off through this server, for a person on another
//! machine. The link's own token is what lets them in; the keeper checks it, as it does for its own address.
//! A viewer who comes this way approves no calls: for the keeper it is szk itself that connects.
//!
//! Answers name the view at this server if the client has reached it by another name than loopback's: the
//! keeper's own address is on this machine only, and lets a person here approve calls.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use szk_tools::{Call, Progress};
use tokio::io::copy_bidirectional;

use crate::app::{App, Who};
use crate::proxy;

/// Where live views are.
const PLACE: &str = "/handoff/";
/// How keepers begin the address of a live view.
const KEEPER: &str = "http://127.0.0.1:";
/// Digits of its token.
const DIGITS: usize = 64;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/handoff/{session}/{token}/", get(page))
        .route("/handoff/{session}/{token}/{file}", get(file))
}

async fn page(
    State(app): State<Arc<App>>,
    Path((session, token)): Path<(String, String)>,
    request: Request,
) -> Response {
    forward(&app, &session, &token, "", request).await
}

async fn file(
    State(app): State<Arc<App>>,
    Path((session, token, file)): Path<(String, String, String)>,
    request: Request,
) -> Response {
    forward(&app, &session, &token, &file, request).await
}

async fn forward(
    app: &Arc<App>,
    session: &str,
    token: &str,
    file: &str,
    request: Request,
) -> Response {
    if !is_token(token) {
        return over();
    }
    let Some(view) = app.limits.whole().live_view(session).await else {
        return over();
    };
    let Some(authority) = view
        .strip_prefix("http://")
        .and_then(|rest| rest.split('/').next())
    else {
        return over();
    };
    let path = format!("/{token}/{file}");
    match request.headers().contains_key(header::UPGRADE) {
        true => watch(app, authority, &path, request).await,
        false => read(authority, &path).await,
    }
}

/// A file of the view.
async fn read(authority: &str, path: &str) -> Response {
    let asked = hyper::Request::get(path)
        .header(header::HOST, authority)
        .body(Body::empty());
    let (Ok(asked), Ok(mut sender)) = (asked, proxy::connect(authority).await) else {
        return over();
    };
    match sender.send_request(asked).await {
        Ok(answer) if answer.status() == StatusCode::OK => {
            let mut response = answer.map(Body::new);
            for name in [header::CONNECTION, header::TRANSFER_ENCODING] {
                response.headers_mut().remove(name);
            }
            response
        }
        _ => over(),
    }
}

/// What the person sees and does, until either side ends it.
async fn watch(app: &Arc<App>, authority: &str, path: &str, request: Request) -> Response {
    let Ok((response, theirs, ours)) = proxy::handshake(authority, path, request).await else {
        return over();
    };
    let (stop, working) = (app.stop.clone(), app.drain.work_on());
    tokio::spawn(async move {
        let _working = working;
        let (Ok(theirs), Ok(ours)) = tokio::join!(theirs, ours) else {
            return;
        };
        let (mut theirs, mut ours) = (TokioIo::new(theirs), TokioIo::new(ours));
        tokio::select! {
            _ = copy_bidirectional(&mut theirs, &mut ours) => {}
            () = stop.cancelled() => {}
        }
    });
    response
}

/// For a person, so in words.
fn over() -> Response {
    let text = "This hand-off is over, or its link is not complete.\n";
    (StatusCode::NOT_FOUND, text).into_response()
}

/// Whether a person has followed a link to a live view. It may stand on any page: the token in it counts.
pub(crate) fn is_followed(path: &str, headers: &HeaderMap) -> bool {
    let says = |name: &str, what: &str| headers.get(name).is_some_and(|value| value == what);
    path.starts_with(PLACE)
        && !headers.contains_key(header::ORIGIN)
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

/// Names live views at this server in what comes of a call.
pub(crate) struct Views {
    /// This server's address and the session, if the caller is on another machine.
    place: Option<(String, String)>,
}

impl Views {
    pub(crate) fn of(who: &Who, call: &Call) -> Self {
        let base = who.base.clone().filter(|_| may_name_one(call));
        let session = call.input().session().unwrap_or_default();
        Self {
            place: base.map(|base| (base, session.to_owned())),
        }
    }

    pub(crate) fn in_step(&self, mut step: Progress) -> Progress {
        if let Some((base, session)) = &self.place
            && !session.is_empty()
            && let Some(message) = through(&step.message, base, session)
        {
            step.message = message;
        }
        step
    }

    pub(crate) fn in_answer(&self, mut response: szk_tools::Response) -> szk_tools::Response {
        if let Some((base, named)) = &self.place {
            let told = response.data["session"].as_str().map(str::to_owned);
            let session = told.as_ref().unwrap_or(named);
            if let Some(summary) = through(&response.summary, base, session) {
                response.summary = summary;
            }
            through_all(&mut response.data, base, session);
        }
        response
    }
}

/// Whether an answer to this call may name a live view.
fn may_name_one(call: &Call) -> bool {
    matches!(
        call,
        Call::SessionHandoff(_)
            | Call::WorkflowLogin(_)
            | Call::RecipeRun(_)
            | Call::AgentRun(_)
            | Call::BrowserBatch(_)
    )
}

/// Names live views of a session at this server, whose address `base` is.
fn through(text: &str, base: &str, session: &str) -> Option<String> {
    let mut parts = text.split(KEEPER);
    let mut out = parts.next()?.to_owned();
    let mut changed = false;
    for part in parts {
        match token_and_rest(part) {
            Some((token, rest)) => {
                out.push_str(&format!("{base}{PLACE}{session}/{token}{rest}"));
                changed = true;
            }
            None => {
                out.push_str(KEEPER);
                out.push_str(part);
            }
        }
    }
    changed.then_some(out)
}

/// What comes after the port of a keeper's address.
fn token_and_rest(part: &str) -> Option<(&str, &str)> {
    let (port, rest) = part.split_once('/')?;
    port.parse::<u16>().ok()?;
    let token = rest.get(..DIGITS).filter(|token| is_token(token))?;
    let rest = &rest[DIGITS..];
    rest.starts_with('/').then_some((token, rest))
}

fn is_token(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The same in all texts of an answer.
fn through_all(value: &mut Value, base: &str, session: &str) {
    match value {
        Value::String(text) => {
            if let Some(changed) = through(text, base, session) {
                *text = changed;
            }
        }
        Value::Array(list) => list
            .iter_mut()
            .for_each(|one| through_all(one, base, session)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|one| through_all(one, base, session)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_live_views_change() {
        let token = "ab".repeat(32);
        let base = "https://szk.example";
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(through(text, base, "work").as_deref(), expected, "{text}");
        };
        check(
            &format!("Show http://127.0.0.1:4000/{token}/\nnow"),
            Some(&format!("Show {base}/handoff/work/{token}/\nnow")),
        );
        check("http://127.0.0.1:4000/page", None);
        check(&format!("http://127.0.0.1:x/{token}/"), None);
        check(&format!("http://127.0.0.1:4000/{token}"), None);
        check(&format!("http://127.0.0.1:4000/{}/", "ü".repeat(32)), None);
        check("", None);
    }

    #[test]
    fn a_link_is_followed_by_a_navigation_alone() {
        let followed = |path: &str, pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, value.parse().unwrap());
            }
            is_followed(path, &headers)
        };
        let document = [
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        let framed = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        let posted = [document[0], document[1], ("origin", "https://evil.example")];
        assert!(followed("/handoff/a/b/", &document));
        assert!(!followed("/v1/sessions", &document) && !followed("/handoff/a/b/", &framed));
        assert!(!followed("/handoff/a/b/", &posted) && !followed("/handoff/a/b/", &[]));
    }
}
