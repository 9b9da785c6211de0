//! Upgrades HTTP to a WebSocket with a session of its own.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::USER_AGENT;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::clients::Scope;
use super::http::{self, Response};
use super::listener::{Live, Shared};
use super::mux::{self, AttachError, ClientOptions};
use super::names::Naming;
use super::rules::Rules;

/// Bytes to read from a socket at once. The buffer is cleared each time.
const READ_BUFFER: usize = 16 << 10;

/// A WebSocket to the whole browser.
pub(super) async fn browser(
    shared: &Arc<Shared>,
    live: Live,
    rules: Rules,
    request: &mut Request<Incoming>,
) -> Response {
    upgrade(shared, live, rules, Scope::Browser, request).await
}

/// A WebSocket to one target.
pub(super) async fn page(
    shared: &Arc<Shared>,
    live: Live,
    rules: Rules,
    target: &str,
    request: &mut Request<Incoming>,
) -> Response {
    let target_id = target.to_owned();
    upgrade(shared, live, rules, Scope::Page { target_id }, request).await
}

async fn upgrade(
    shared: &Arc<Shared>,
    live: Live,
    rules: Rules,
    scope: Scope,
    request: &mut Request<Incoming>,
) -> Response {
    let response = match create_response_with_body(request, Full::<Bytes>::default) {
        Ok(response) => response,
        Err(error) => {
            return http::text(
                StatusCode::BAD_REQUEST,
                &format!("the WebSocket handshake failed: {error}"),
            );
        }
    };
    let agent = request
        .headers()
        .get(USER_AGENT)
        .map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned());
    let (naming, name) = Naming::begin(agent.as_deref());
    let admitted = shared
        .clients
        .admit(scope.clone(), agent, name, rules.shield);
    let Some(slot) = admitted else {
        return http::text(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many clients are connected",
        );
    };
    // In a task of its own: if the client hangs up now, its session is still detached.
    let attaching = shared
        .tasks
        .spawn(mux::attach(live, scope, shared.limits.clone()));
    let terms = ClientOptions {
        rules,
        naming,
        downloads: shared.downloads.clone(),
    };
    let client = match attaching.await {
        Ok(Ok(client)) => client,
        Ok(Err(AttachError::NoTarget(target))) => return http::no_target(&target),
        Ok(Err(AttachError::NoBrowser)) | Err(_) => return http::no_browser(),
    };
    let (upgrading, shared_too) = (hyper::upgrade::on(request), Arc::clone(shared));
    shared.tasks.spawn(async move {
        let limits = &shared_too.limits;
        let upgraded = tokio::select! {
            upgraded = upgrading => upgraded,
            () = shared_too.closing.cancelled() => return,
        };
        match upgraded {
            Ok(upgraded) => {
                let config = WebSocketConfig::default()
                    .read_buffer_size(READ_BUFFER)
                    .max_message_size(Some(limits.incoming))
                    .max_frame_size(Some(limits.incoming));
                let socket = WebSocketStream::from_raw_socket(
                    TokioIo::new(upgraded),
                    Role::Server,
                    Some(config),
                )
                .await;
                mux::run(socket, client, terms, &slot, limits, &shared_too.closing).await;
            }
            Err(error) => tracing::debug!(%error, "a client left during the handshake"),
        }
    });
    response
}
