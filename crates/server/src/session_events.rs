//! `…/events`: what happens in a session, as server-sent events with the numbers of the session's own.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use szk_client::{EventLine, Events};
use szk_tools::{Failure, Permission};

use crate::app::{App, Who};
use crate::error::ErrorReply;

/// In which a client that comes back says what it has.
const LAST: &str = "last-event-id";

/// The number of the last event that the client has, for clients that send no headers.
#[derive(Deserialize)]
pub(crate) struct Since {
    after: Option<u64>,
}

/// Tells what happens until the session closes, the client leaves, or its token ends. The first line is a
/// comment, so that the client knows that it will miss nothing from now on.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    since: Result<Query<Since>, QueryRejection>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let Some(who) = request.extensions().get::<Who>().cloned() else {
        return Err(Failure::internal("a request came past the check of its token").into());
    };
    who.needs(Permission::Read)?;
    let Ok(Query(since)) = since else {
        return Err(Failure::invalid("`after` is the number of an event")
            .about(["after"])
            .into());
    };
    let after = last(request.headers())?.or(since.after);
    let events = who.client.events(Some(&session), after).await?;
    let begun = stream::iter([Ok::<_, Infallible>(Event::default().comment("following"))]);
    let told = stream::unfold((app, who, events), |(app, who, mut events)| async move {
        let told = next(&app, &who, &mut events).await?;
        if let EventLine::Missed(count) = told {
            app.metrics.lost(count);
        }
        Some((Ok(event(&told)), (app, who, events)))
    });
    let all = futures_util::StreamExt::chain(begun, told);
    Ok(Sse::new(all)
        .keep_alive(KeepAlive::default())
        .into_response())
}

/// The next event; none once the stream is over, for whatever reason.
async fn next(app: &App, who: &Who, events: &mut Events) -> Option<EventLine> {
    tokio::select! {
        told = events.next() => told,
        () = app.locked_out(who) => None,
        () = app.stop.cancelled() => None,
    }
}

fn last(headers: &HeaderMap) -> Result<Option<u64>, Failure> {
    let Some(last) = headers.get(LAST) else {
        return Ok(None);
    };
    let number = last.to_str().ok().and_then(|last| last.parse().ok());
    number.map(Some).ok_or_else(|| {
        Failure::invalid("`Last-Event-ID` is not the number of an event")
            .hint("send the `id` of the last event that you have")
    })
}

/// One event: its kind and number, and all of it as JSON.
fn event(told: &EventLine) -> Event {
    match told {
        EventLine::Event(one) => {
            let data = serde_json::to_value(one).unwrap_or_default();
            let kind = data["event"].as_str().unwrap_or("unknown").to_owned();
            Event::default()
                .id(one.seq.to_string())
                .event(kind)
                .data(data.to_string())
        }
        EventLine::Missed(count) => {
            let data: Value = json!({"event": "missed", "count": count});
            Event::default().event("missed").data(data.to_string())
        }
    }
}
