//! HTTP on the keeper's socket. Whoever can open the socket is the user; there is no other check.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::Value;
use szk_runtime::session::Lifecycle;
use szk_tools::{Code, Failure};
use szk_wire::approvals::Approver;
use szk_wire::events::EVENTS_PATH;
use szk_wire::{
    APPROVAL_HEADER, AWAY_HEADER, CLIENT_HEADER, Client, FILE_PATH, FOUND_HEADER, Found,
    IDENTITY_HEADER, INFO_PATH, Info, Lifecycle as WireLife, Line, OPERATION_PATH, Opened,
    PRESENCE_PATH, STATE_PATH, UNTIL_HEADER, WITHIN_HEADER,
};
use tokio::net::UnixListener;
use tokio_util::sync::CancellationToken;

use crate::answer::{self, Record};
use crate::context::{Keeper, shown_tabs};
use crate::{events, failure, sharing};

/// Longest input of an operation, in bytes.
const LONGEST_INPUT: usize = 64 << 20;

/// Serves until it is to stop, and then what has arrived by then.
pub(crate) async fn run(listener: UnixListener, keeper: Arc<Keeper>, stop: CancellationToken) {
    let router = Router::new()
        .route(INFO_PATH, get(info))
        .route(PRESENCE_PATH, get(presence))
        .route(EVENTS_PATH, get(events::events))
        .route(STATE_PATH, get(state))
        .route(FILE_PATH, post(file))
        .route(&format!("{OPERATION_PATH}{{name}}"), post(operation))
        .layer(DefaultBodyLimit::max(LONGEST_INPUT))
        .with_state(keeper);
    let served = axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned());
    if let Err(error) = served.await {
        tracing::error!(%error, "the server ended");
    }
}

async fn operation(
    State(keeper): State<Arc<Keeper>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let client = caller(&headers);
    let keeper = |approver| keeper.for_client(client, approver);
    let found = Found::read(text(&headers, FOUND_HEADER));
    let approver = Approver::read(text(&headers, APPROVAL_HEADER));
    let within = match text(&headers, WITHIN_HEADER).map(serde_json::from_str) {
        None => None,
        Some(Ok(origins)) => Some(origins),
        Some(Err(_)) => {
            let failure = Failure::invalid("the origins of the call are not readable");
            Record::begin(&keeper(approver), name).fail(&failure).await;
            return (StatusCode::BAD_REQUEST, Json(Line::Error(failure))).into_response();
        }
    };
    let until = text(&headers, UNTIL_HEADER).and_then(|until| until.parse::<u64>().ok());
    if until.is_some_and(|until| szk_wire::shared_clock_ms() > until) {
        let failure = Failure::new(
            Code::Timeout,
            "the call reached the keeper after its caller had given up; nothing was done",
        );
        Record::begin(&keeper(approver), name).fail(&failure).await;
        return Json(Line::Error(failure.retryable())).into_response();
    }
    let input = if body.is_empty() {
        Ok(Value::Null)
    } else {
        serde_json::from_slice(&body)
    };
    match input {
        Ok(input) => {
            let keeper = keeper(approver).kept_within(within);
            answer::start(keeper, name, found, input)
        }
        Err(error) => {
            let failure = Failure::invalid(format!("the input is not JSON: {error}"));
            Record::begin(&keeper(approver), name).fail(&failure).await;
            (StatusCode::BAD_REQUEST, Json(Line::Error(failure))).into_response()
        }
    }
}

async fn info(State(keeper): State<Arc<Keeper>>) -> Json<Info> {
    let session = &keeper.session;
    let life = match session.life() {
        Lifecycle::Running => WireLife::Running,
        Lifecycle::Restarting { .. } => WireLife::Starting,
        Lifecycle::Closing | Lifecycle::Closed(_) => WireLife::Closing,
    };
    let endpoint = session.endpoint().await;
    let mut clients = keeper.clients.names();
    if let Some(endpoint) = &endpoint {
        clients.extend(endpoint.clients.iter().map(sharing::tabs::program));
    }
    Json(Info {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        session: session.name().to_string(),
        life,
        ephemeral: session.meta().ephemeral,
        tabs: shown_tabs(&keeper).await,
        clients,
        endpoint_open: endpoint.is_some(),
        handoff: keeper.handoffs.waiting(),
    })
}

/// Who calls.
fn caller(headers: &HeaderMap) -> Client {
    let label = text(headers, CLIENT_HEADER).unwrap_or("client");
    let label: String = label.chars().take(100).collect();
    Client::read(text(headers, IDENTITY_HEADER), &label)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Stays open; the client counts as connected, or as away, for as long as the body lives.
async fn presence(State(keeper): State<Arc<Keeper>>, headers: HeaderMap) -> Response {
    let here = match headers.contains_key(AWAY_HEADER) {
        true => keeper.clients.keep(),
        false => keeper.clients.enter(caller(&headers)),
    };
    let closed = keeper.session.clone();
    let body = stream::unfold(Some(here), move |here| {
        let closed = closed.clone();
        async move {
            let _here = here?;
            closed.closed().await;
            None::<(Result<Bytes, Infallible>, Option<crate::clients::Presence>)>
        }
    });
    Body::from_stream(body).into_response()
}

/// A person opens a file in a terminal. No operation can say that, because agents can call operations.
async fn file(State(keeper): State<Arc<Keeper>>, Json(path): Json<PathBuf>) -> Json<Opened> {
    let opened = keeper.session.open_file(&path).await;
    Json(opened.map_err(|error| failure::session(&error)))
}

/// The whole state, for the keeper of a clone. It contains secrets, and goes only through this socket.
async fn state(State(keeper): State<Arc<Keeper>>) -> Vec<u8> {
    keeper.session.capture().await.to_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    use super::*;
    use crate::testing::{Scripted, browser};

    #[tokio::test]
    async fn a_call_that_arrives_at_the_end_is_answered() {
        let scripted = Scripted::on(browser(json!({}))).await;
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        let stop = CancellationToken::new();
        let server = tokio::spawn(run(listener, scripted.keeper.clone(), stop.clone()));
        let mut caller = UnixStream::connect(&socket).await.unwrap();
        let head = "POST /v1/op/no_such HTTP/1.1\r\nhost: szk\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n";
        caller.write_all(head.as_bytes()).await.unwrap();
        // Once the server wants the input, the call has arrived, and no answer is being made yet.
        let mut goes_on = [0; 25];
        caller.read_exact(&mut goes_on).await.unwrap();
        assert_eq!(&goes_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        stop.cancel();
        caller.write_all(b"{}").await.unwrap();
        let mut answer = String::new();
        caller.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains("no_such"), "{answer}");
        server.await.unwrap();
    }
}
