//! The server of the live view: on loopback, with a token in the path, refusing requests from other
//! pages.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper_util::rt::TokioIo;
use szk_tools::session::HandoffEnd;
use tokio::net::TcpListener;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::listener::{BoundedListener, TokenShown};
use super::{Handoff, peer, view};
use crate::context::WeakKeeper;

/// What the page may load: its own files and its own socket.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/// Lifetime of a link.
const LIFE: Duration = Duration::from_secs(60 * 60);
/// Longest message of a viewer, in bytes: a pasted text.
const LONGEST: usize = 1 << 20;

const JS: &str = "text/javascript; charset=utf-8";

/// The files of the page: path, type and text.
const FILES: [(&str, &str, &str); 4] = [
    (
        "/{token}/",
        "text/html; charset=utf-8",
        include_str!("view/page.html"),
    ),
    (
        "/{token}/view.css",
        "text/css; charset=utf-8",
        include_str!("view/view.css"),
    ),
    ("/{token}/view.js", JS, include_str!("view/view.js")),
    ("/{token}/input.js", JS, include_str!("view/input.js")),
];

#[derive(Clone)]
struct Shared {
    keeper: WeakKeeper,
    handoff: Arc<Handoff>,
}

pub(super) async fn listen() -> std::io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Serves until the hand-off ends, which it does by itself after a long time.
pub(super) async fn run(listener: TcpListener, keeper: WeakKeeper, handoff: Arc<Handoff>) {
    let over = Arc::clone(&handoff);
    let ended = async move {
        if tokio::time::timeout(LIFE, over.end()).await.is_err() {
            over.finish(HandoffEnd::GivenUp, Some("it timed out".to_owned()));
        }
    };
    let shared = Shared { keeper, handoff };
    let mut router = Router::new().route("/{token}/live", get(live));
    for (path, kind, text) in FILES {
        let served = move || async move { ([(CONTENT_TYPE, kind)], text) };
        router = router.route(path, get(served));
    }
    let router = router
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared);
    let service = router.into_make_service_with_connect_info::<TokenShown>();
    let serving =
        axum::serve(BoundedListener::new(listener), service).with_graceful_shutdown(ended);
    if let Err(error) = serving.await {
        tracing::error!(%error, "the live view ended");
    }
}

/// Answers 404 without the token, and to requests from other pages.
async fn guard(
    State(shared): State<Shared>,
    ConnectInfo(connection): ConnectInfo<TokenShown>,
    request: Request,
    next: Next,
) -> Response {
    let offered = request.uri().path().split('/').nth(1).unwrap_or_default();
    let known = shared.handoff.token.matches(offered);
    if !known || !is_here(request.headers(), shared.handoff.port) {
        return StatusCode::NOT_FOUND.into_response();
    }
    connection.confirm();
    let mut answer = next.run(request).await;
    let headers = answer.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, axum::http::HeaderValue::from_static(value));
    }
    answer
}

/// Whether a request names this listener, and comes from its own page or from none. A tunnel has the
/// same port on the person's machine.
fn is_here(headers: &HeaderMap, port: u16) -> bool {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let text = |name| {
        headers
            .get(name)
            .map(|value: &axum::http::HeaderValue| value.to_str())
    };
    let host = match text(HOST) {
        Some(Ok(host)) if hosts.iter().any(|ours| ours == host) => host,
        _ => return false,
    };
    match text(ORIGIN) {
        None => true,
        Some(Ok(origin)) => origin.strip_prefix("http://") == Some(host),
        Some(Err(_)) => false,
    }
}

/// Does the handshake here, as in the endpoint: axum's own would add a second WebSocket library.
async fn live(
    State(shared): State<Shared>,
    ConnectInfo(connection): ConnectInfo<TokenShown>,
    mut request: Request,
) -> Response {
    let Some(keeper) = shared.keeper.upgrade() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let answer = match create_response_with_body(&request, Body::empty) {
        Ok(answer) => answer,
        Err(error) => {
            let text = format!("the WebSocket handshake failed: {error}");
            return (StatusCode::BAD_REQUEST, text).into_response();
        }
    };
    let upgrading = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let decides = match connection.peer() {
            Some(peer) => tokio::task::spawn_blocking(move || peer::is_a_persons(peer)).await,
            None => Ok(false),
        };
        let decides = decides.unwrap_or(false);
        match upgrading.await {
            Ok(upgraded) => {
                let (io, config) = (TokioIo::new(upgraded), WebSocketConfig::default());
                let config = config.max_message_size(Some(LONGEST));
                let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
                view::show(socket, keeper, shared.handoff, decides).await;
            }
            Err(error) => tracing::debug!(%error, "a viewer left during the handshake"),
        }
    });
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: &str, origin: Option<&str>, expected: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        assert_eq!(is_here(&headers, 4000), expected, "{host} {origin:?}");
    }

    #[test]
    fn only_its_own_page_is_admitted() {
        check("127.0.0.1:4000", None, true);
        check("localhost:4000", Some("http://localhost:4000"), true);
        check("localhost:4000", Some("http://127.0.0.1:4000"), false);
        check("127.0.0.1:4000", Some("https://evil.test"), false);
        check("127.0.0.1:4000", Some("null"), false);
        check("127.0.0.1:4001", None, false);
        check("evil.test:4000", None, false);
    }
}
