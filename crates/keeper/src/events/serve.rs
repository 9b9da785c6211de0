//! The event stream on the keeper's socket.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use szk_wire::events::EventLine;

use super::Reader;
use crate::context::Keeper;

#[derive(Deserialize)]
pub(crate) struct From {
    after: Option<u64>,
}

/// Ends with the session. A reader does not count as a client: looking on keeps nothing open.
pub(crate) async fn events(
    State(keeper): State<Arc<Keeper>>,
    Query(from): Query<From>,
) -> Response {
    let session = keeper.session.clone();
    let reader = keeper.events.reader(from.after);
    let body = stream::unfold(Some(reader), move |reader| {
        let session = session.clone();
        async move {
            let mut reader: Reader = reader?;
            let (told, reader) = tokio::select! {
                // In this order, so that the last events go out first.
                biased;
                told = reader.next() => (told, Some(reader)),
                _ = session.closed() => return None,
            };
            Some((Ok::<_, Infallible>(lines(&told)), reader))
        }
    });
    (
        [(CONTENT_TYPE, "application/x-ndjson")],
        Body::from_stream(body),
    )
        .into_response()
}

fn lines(told: &[EventLine]) -> Bytes {
    let mut text = Vec::new();
    for one in told {
        match serde_json::to_vec(one) {
            Ok(line) => {
                text.extend(line);
                text.push(b'\n');
            }
            Err(error) => tracing::error!(%error, "an event cannot be encoded"),
        }
    }
    text.into()
}
