//! Connections to servers of sessions on this machine, and WebSockets through to them.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use szk_tools::{Code, Failure};
use tokio::net::TcpStream;

/// Headers of a WebSocket handshake, in both directions.
const HANDSHAKE: [header::HeaderName; 7] = [
    header::CONNECTION,
    header::UPGRADE,
    header::SEC_WEBSOCKET_KEY,
    header::SEC_WEBSOCKET_VERSION,
    header::SEC_WEBSOCKET_PROTOCOL,
    header::SEC_WEBSOCKET_EXTENSIONS,
    header::SEC_WEBSOCKET_ACCEPT,
];

/// Connects to a port of a session.
pub(crate) async fn connect(authority: &str) -> Result<SendRequest<Body>, Failure> {
    let unreachable = |error: &dyn std::fmt::Display| {
        Failure::new(
            Code::SessionBusy,
            format!("the session's endpoint cannot be reached: {error}"),
        )
        .hint("the session may be closing: try again")
        .retryable()
    };
    let stream = TcpStream::connect(authority)
        .await
        .map_err(|error| unreachable(&error))?;
    // Messages are small, and each waits for an answer.
    let _ = stream.set_nodelay(true);
    let (sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| unreachable(&error))?;
    tokio::spawn(connection.with_upgrades());
    Ok(sender)
}

/// Passes on a client's WebSocket handshake: the answer for the client, and both connections once they are
/// WebSockets.
pub(crate) async fn handshake(
    authority: &str,
    path: &str,
    mut request: Request,
) -> Result<(Response, OnUpgrade, OnUpgrade), Failure> {
    let query = request
        .uri()
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let mut asked = hyper::Request::builder()
        .uri(format!("{path}{query}"))
        .header(header::HOST, authority);
    for name in HANDSHAKE {
        for value in request.headers().get_all(&name) {
            asked = asked.header(&name, value);
        }
    }
    if let Some(agent) = request.headers().get(header::USER_AGENT) {
        asked = asked.header(header::USER_AGENT, agent);
    }
    let asked = asked
        .body(Body::empty())
        .map_err(|error| Failure::invalid(format!("the handshake cannot be passed on: {error}")))?;
    let mut sender = connect(authority).await?;
    let mut answer = sender.send_request(asked).await.map_err(gone)?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(Failure::new(
            Code::NotFound,
            format!("the endpoint answered {}", answer.status()),
        )
        .hint("ask `…/cdp/json/list` for the targets that exist"));
    }
    let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
    for name in HANDSHAKE {
        for value in answer.headers().get_all(&name) {
            response
                .headers_mut()
                .append(&name, HeaderValue::clone(value));
        }
    }
    let theirs = hyper::upgrade::on(&mut answer);
    let ours = hyper::upgrade::on(&mut request);
    Ok((response, theirs, ours))
}

/// The failure of a connection that ended before the answer came.
pub(crate) fn gone(error: hyper::Error) -> Failure {
    Failure::new(
        Code::BrowserCrashed,
        format!("the session's endpoint went away: {error}"),
    )
    .retryable()
}
