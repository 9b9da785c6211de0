//! An operation's answer as a stream of lines, and its cancellation.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response as HttpResponse};
use futures_util::stream;
use serde_json::Value;
use szk_client::wire::Line;
use szk_tools::{Call, Failure, Progress};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::context::Keeper;
use crate::handle;

/// Progress lines that may wait for a slow reader; later ones are dropped, the result never is.
const WAITING: usize = 16;

/// Starts the operation; it is cancelled when the caller goes away, because the body is dropped then.
pub(crate) fn start(keeper: Arc<Keeper>, name: String, input: Value) -> HttpResponse {
    let (lines, waiting) = mpsc::channel::<Line>(WAITING);
    let working = keeper.clients.begin();
    let task = AbortOnDropHandle::new(tokio::spawn(async move {
        let progress = {
            let lines = lines.clone();
            move |step: Progress| drop(lines.try_send(Line::Progress(step)))
        };
        let result = match Call::decode(&name, input) {
            Ok(call) => handle::call(&keeper, call, &progress).await,
            Err(failure) => Err(failure),
        };
        let line = match result {
            Ok(response) => Line::Ok(response),
            Err(failure) => {
                tracing::info!(operation = name, code = %failure.code.name(), "failed");
                Line::Error(failure)
            }
        };
        // Err: the caller is gone, and this task is about to be aborted.
        let _ = lines.send(line).await;
    }));
    let body = stream::unfold(
        (waiting, task, working),
        |(mut waiting, task, working)| async move {
            let line = waiting.recv().await?;
            Some((
                Ok::<_, std::convert::Infallible>(text(&line)),
                (waiting, task, working),
            ))
        },
    );
    (
        [(CONTENT_TYPE, "application/x-ndjson")],
        Body::from_stream(body),
    )
        .into_response()
}

fn text(line: &Line) -> Bytes {
    let mut text = serde_json::to_vec(line).unwrap_or_else(|error| {
        let failure = Failure::internal(format!("an answer cannot be written: {error}"));
        serde_json::to_vec(&Line::Error(failure)).unwrap_or_default()
    });
    text.push(b'\n');
    text.into()
}
