//! A call's progress as server-sent events: `progress` any number of times, then `result` or `error`.

use std::convert::Infallible;
use std::pin::Pin;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response as Http};
use futures_util::stream;
use serde_json::Value;
use szk_tools::{Failure, Progress, Response};
use tokio::sync::mpsc;

use crate::error::ErrorReply;

/// Progress reports that may queue for the client; beyond that they are dropped, since they only inform.
const REPORTS: usize = 32;

/// A call that goes on.
pub(crate) type Running = Pin<Box<dyn Future<Output = Result<Response, Failure>> + Send>>;

/// Hears of the progress of a call.
pub(crate) type Report = Box<dyn Fn(Progress) + Send + Sync>;

type Sent = Result<Event, Infallible>;

/// What a stream is at.
enum Stage {
    Running(Running, mpsc::Receiver<Progress>),
    Ended(Sent, mpsc::Receiver<Progress>),
    Done,
}

/// Hears of progress, and passes it on to [`answer`].
pub(crate) fn reports() -> (Report, mpsc::Receiver<Progress>) {
    let (sender, reports) = mpsc::channel(REPORTS);
    (
        Box::new(move |progress| drop(sender.try_send(progress))),
        reports,
    )
}

/// Answers with the events of a call. Dropping the answer drops `running`.
pub(crate) fn answer(running: Running, reports: mpsc::Receiver<Progress>) -> Http {
    let events = stream::unfold(Stage::Running(running, reports), |stage| async move {
        match stage {
            Stage::Running(mut running, mut reports) => tokio::select! {
                biased;
                Some(report) = reports.recv() => {
                    Some((told(report), Stage::Running(running, reports)))
                }
                outcome = &mut running => {
                    let last = match outcome {
                        Ok(response) => event("result", &response.data),
                        Err(failure) => event("error", &ErrorReply::from(failure).body()),
                    };
                    Some(next(last, reports))
                }
            },
            Stage::Ended(last, reports) => Some(next(last, reports)),
            Stage::Done => None,
        }
    });
    Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// The next event after the call has ended: reports that came before the answer go out first.
fn next(last: Sent, mut reports: mpsc::Receiver<Progress>) -> (Sent, Stage) {
    match reports.try_recv() {
        Ok(report) => (told(report), Stage::Ended(last, reports)),
        Err(_) => (last, Stage::Done),
    }
}

fn told(report: Progress) -> Sent {
    event(
        "progress",
        &serde_json::to_value(report).unwrap_or_default(),
    )
}

fn event(name: &str, data: &Value) -> Sent {
    // JSON on one line cannot break out of its event.
    Ok(Event::default().event(name).data(data.to_string()))
}
