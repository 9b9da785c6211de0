//! What the server says of itself.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use szk_client::Client;
use szk_tools::{Code, Failure, Permission};

use crate::app::{App, Who};
use crate::dashboard;
use crate::drain;
use crate::error::ErrorReply;
use crate::metrics::Now;

/// `/`: the dashboard for people; for programs what this is, and where to read on.
pub(crate) async fn root(headers: HeaderMap) -> Response {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/html")) {
        return dashboard::page();
    }
    Json(json!({
        "name": "szk",
        "version": env!("CARGO_PKG_VERSION"),
        "docs": "/docs",
        "openapi": "/openapi.json",
    }))
    .into_response()
}

/// `/healthz`: the process answers.
pub(crate) async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// `/readyz`: it takes work.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.stop.is_cancelled() {
        let failure = Failure::new(Code::SessionBusy, "the server is stopping").retryable();
        return ErrorReply::with_status(failure, StatusCode::SERVICE_UNAVAILABLE).into_response();
    }
    if app.drain.is_on() {
        return ErrorReply::from(drain::refusal()).into_response();
    }
    health().await.into_response()
}

/// `/metrics`: counts of calls and sessions, of those that the token may see.
pub(crate) async fn metrics(
    State(app): State<Arc<App>>,
    axum::Extension(who): axum::Extension<Who>,
) -> Result<Response, ErrorReply> {
    who.needs(Permission::Read)?;
    let client: Arc<Client> = Arc::clone(&who.client);
    let counted = tokio::task::spawn_blocking(move || (client.count(), client.memory())).await;
    let (sessions, memory) = counted
        .map_err(|error| Failure::internal(format!("cannot count the sessions: {error}")))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok((
        [(header::CONTENT_TYPE, kind)],
        app.metrics.text(&Now {
            sessions,
            waiting: app.limits.waiting(),
            memory,
        }),
    )
        .into_response())
}
