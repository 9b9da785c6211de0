//! What is answered over HTTP: the same as Chromium answers on a debugging port.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Request, StatusCode};

use super::access::{IncomingPort, Verdict};
use super::json::{self, Base};
use super::listener::Shared;
use super::route::Route;
use super::rules::Rules;
use super::upgrade;

/// How Chromium 156 describes its protocol, without the prose: on a pipe it does not tell. Written by
/// `scripts/protocol`.
const PROTOCOL: &str = include_str!("protocol.json");

pub(super) type Response = hyper::Response<Full<Bytes>>;

/// Why a request has no answer from the browser.
#[derive(Debug)]
pub(super) enum Failed {
    /// There is none, or it does not answer.
    NoBrowser,
    /// It does not know the target.
    NoTarget(String),
    /// Something else.
    Browser(String),
}

/// Answers one request; a WebSocket lives on after it.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    incoming: IncomingPort,
    mut request: Request<Incoming>,
) -> Response {
    let (path, headers) = (request.uri().path().to_owned(), request.headers().clone());
    let pass = match shared.guard.judge(incoming, &path, &headers) {
        Verdict::Admitted(pass) => pass,
        Verdict::Unknown => return not_found(),
        Verdict::Refused(why) => return text(StatusCode::FORBIDDEN, why),
    };
    let Some(route) = Route::parse(pass.path) else {
        return not_found();
    };
    if !route.takes(request.method()) {
        return wrong_method(&route);
    }
    if route == Route::Protocol {
        return respond(
            StatusCode::OK,
            "application/json; charset=UTF-8",
            PROTOCOL.to_owned(),
        );
    }
    let Some(live) = shared.live() else {
        return Failed::NoBrowser.into_response();
    };
    if route != Route::Version {
        // Logins and tabs come first: a client must not find the profile logged out.
        let gate = live.browser.gate();
        tokio::select! {
            () = gate.ready() => {}
            () = live.ended.cancelled() => return no_browser(),
            () = shared.closing.cancelled() => return no_browser(),
        }
    }
    let rules = Rules {
        shield: shared.rules.shield && !pass.unshielded,
        ..shared.rules.clone()
    };
    let denied = |method: &str| {
        rules.denies(method).then(|| {
            text(
                StatusCode::FORBIDDEN,
                "refused: `endpoint.deny` of the configuration names it",
            )
        })
    };
    let refusal = match route {
        Route::New => denied("Target.createTarget"),
        Route::Close(_) => denied("Target.closeTarget"),
        Route::Activate(_) => denied("Target.activateTarget"),
        Route::List => denied("Target.getTargets"),
        Route::Page(_) => denied("Target.attachToTarget"),
        _ => None,
    };
    if let Some(refusal) = refusal {
        return refusal;
    }
    if let Route::Close(target) | Route::Activate(target) | Route::Page(target) = route
        && !shared.shows(target)
    {
        return no_target(target);
    }
    let base = Base::new(shared, &pass);
    let answered = match route {
        Route::Version => json::version(&live, &base, &shared.browser_id).await,
        Route::List => json::list(shared, &live, &base).await,
        Route::New => {
            json::new(
                shared,
                &live,
                &base,
                request.uri().query().unwrap_or_default(),
            )
            .await
        }
        Route::Close(target) => {
            json::order(&live, "Target.closeTarget", target, "Target is closing").await
        }
        Route::Activate(target) => {
            json::order(&live, "Target.activateTarget", target, "Target activated").await
        }
        Route::Protocol => Ok(not_found()),
        Route::Browser(id) if id == shared.browser_id => {
            return upgrade::browser(shared, live, rules, &mut request).await;
        }
        Route::Browser(_) => Ok(not_found()),
        Route::Page(target) => {
            return upgrade::page(shared, live, rules, target, &mut request).await;
        }
    };
    answered.unwrap_or_else(Failed::into_response)
}

/// Everything a stranger is told, whatever was asked.
pub(super) fn not_found() -> Response {
    text(StatusCode::NOT_FOUND, "not found")
}

pub(super) fn no_target(target: &str) -> Response {
    Failed::NoTarget(target.to_owned()).into_response()
}

pub(super) fn no_browser() -> Response {
    Failed::NoBrowser.into_response()
}

/// One sentence.
pub(super) fn text(status: StatusCode, sentence: &str) -> Response {
    respond(status, "text/plain; charset=UTF-8", format!("{sentence}\n"))
}

fn wrong_method(route: &Route<'_>) -> Response {
    let method = route.method();
    let mut response = text(
        StatusCode::METHOD_NOT_ALLOWED,
        &format!("use {method} here"),
    );
    if let Ok(method) = HeaderValue::from_str(method.as_str()) {
        response.headers_mut().insert(ALLOW, method);
    }
    response
}

pub(super) fn respond(status: StatusCode, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

impl Failed {
    pub(super) fn into_response(self) -> Response {
        match self {
            Self::NoBrowser => text(
                StatusCode::SERVICE_UNAVAILABLE,
                "the browser is not running",
            ),
            Self::NoTarget(id) => text(StatusCode::NOT_FOUND, &format!("no such target: {id}")),
            Self::Browser(why) => text(StatusCode::INTERNAL_SERVER_ERROR, &why),
        }
    }
}
