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
use szk_tools::{LiveView, Progress};
use tokio::io::copy_bidirectional;

use crate::app::{App, Who};
use crate::proxy;

/// Where live views are.
const PLACE: &str = "/handoff/";
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

/// Where a client reaches live views: at this server, if it is on another machine.
pub(crate) struct Address(Option<String>);

impl Address {
    pub(crate) fn of(who: &Who) -> Self {
        Self(who.base.clone())
    }

    /// A step, with the live view that it names at this address.
    pub(crate) fn in_step(&self, mut step: Progress) -> Progress {
        if let Some(base) = &self.0 {
            step.show_live_view_at(|view| at(base, view));
        }
        step
    }

    /// The same for an answer.
    pub(crate) fn in_answer(&self, mut response: szk_tools::Response) -> szk_tools::Response {
        if let Some(base) = &self.0 {
            response.show_live_view_at(|view| at(base, view));
        }
        response
    }
}

fn at(base: &str, view: &LiveView) -> String {
    format!("{base}{PLACE}{}/{}/", view.session, view.token)
}

fn is_token(text: &str) -> bool {
    text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_is_on_another_machine_reaches_a_live_view_through_this_server() {
        let token = "ab".repeat(32);
        let link = format!("http://127.0.0.1:4000/{token}/");
        let view = LiveView {
            session: "work".to_owned(),
            token: token.clone(),
            link: link.clone(),
        };
        let check = |base: Option<&str>, expected: &str| {
            let address = Address(base.map(str::to_owned));
            // No session is named in the call, and no operation.
            let step = address.in_step(Progress {
                message: format!("waiting at {link}"),
                live_view: Some(view.clone()),
                ..Progress::default()
            });
            assert_eq!(step.message, format!("waiting at {expected}"));
            let answer = address.in_answer(szk_tools::Response {
                summary: format!("Show {link}\nnow"),
                data: json!({"any": [link]}),
                live_view: Some(view.clone()),
                ..szk_tools::Response::default()
            });
            assert_eq!(answer.summary, format!("Show {expected}\nnow"));
            assert_eq!(answer.data, json!({"any": [expected]}));
        };
        check(None, &link);
        let there = format!("https://szk.example/handoff/work/{token}/");
        check(Some("https://szk.example"), &there);
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
