//! An operation's answer as a stream of lines, and its cancellation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response as HttpResponse};
use futures_util::stream;
use serde_json::Value;
use szk_tools::{Call, Done, Failure, Progress};
use szk_wire::events::Happening;
use szk_wire::{Found, Line};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use crate::audit::Begun;
use crate::context::Keeper;
use crate::events::Feed;
use crate::handle;

/// Progress lines that may wait for a slow reader; later ones are dropped, but never the result.
const WAITING: usize = 16;

/// Time between two events that tell how far the same call is: the ring of events is for all.
const BETWEEN: Duration = Duration::from_secs(1);

/// Starts the operation. If the caller goes away, the body is dropped, which cancels the operation.
pub(crate) fn start(keeper: Arc<Keeper>, name: String, found: Found, input: Value) -> HttpResponse {
    let (lines, waiting) = mpsc::channel::<Line>(WAITING);
    let working = keeper.clients.begin();
    let task = AbortOnDropHandle::new(tokio::spawn(async move {
        let mut record = Record::begin(&keeper, name);
        let progress = {
            let lines = lines.clone();
            let followed = Followed::of(&keeper, &record);
            move |step: Progress| {
                followed.tell(&step);
                drop(lines.try_send(Line::Progress(step)));
            }
        };
        let result = match Call::decode(&record.operation, input) {
            Ok(call) => {
                record.call(&call);
                let client = keeper.visit.client();
                // Over before the caller hears of it: who has their answer closes the session as they like.
                let _working = client.map(|one| keeper.clients.work(one, &record.operation));
                handle::call(&keeper, call, found, &progress).await
            }
            Err(failure) => Err(failure),
        };
        let line = match result {
            Ok(response) => {
                record.end("OK", None).await;
                Line::Ok(response)
            }
            Err(failure) => {
                record.fail(&failure).await;
                match failure.approval.clone() {
                    Some(approval) => Line::Approval { failure, approval },
                    None => Line::Error(failure),
                }
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

/// Tells those who follow the session how far a call is. Not what it says of it, which is for its caller:
/// it may hold the link of a live view.
struct Followed {
    events: Feed,
    client: String,
    operation: String,
    /// When the last event was told. A std mutex: nothing awaits under it.
    last: Mutex<Option<Instant>>,
}

impl Followed {
    fn of(keeper: &Keeper, record: &Record) -> Self {
        Self {
            events: keeper.events.clone(),
            client: record.client.clone(),
            operation: record.operation.clone(),
            last: Mutex::default(),
        }
    }

    fn tell(&self, step: &Progress) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if step.total == 0 || last.is_some_and(|last| last.elapsed() < BETWEEN) {
            return;
        }
        *last = Some(Instant::now());
        self.events.tell(Happening::CallProgress {
            client: self.client.clone(),
            operation: self.operation.clone(),
            done: step.done,
            total: step.total,
        });
    }
}

/// The log entry of a call: who called what, how long it took, and how it ended. Never the input. And its
/// line in the audit log.
pub(crate) struct Record {
    operation: String,
    client: String,
    began: Instant,
    code: Option<String>,
    /// Until it is written.
    audit: Option<Begun>,
}

impl Record {
    /// A call of the keeper's client begins.
    pub(crate) fn begin(keeper: &Keeper, operation: String) -> Self {
        let client = keeper.visit.client();
        let audit = keeper.audit.begin(&operation, client);
        let client = client.map(|client| client.name.clone());
        let client = client.unwrap_or_default();
        tracing::debug!(operation, client, "asked");
        Self {
            audit: Some(audit),
            operation,
            client,
            began: Instant::now(),
            code: None,
        }
    }

    /// What the call says it does.
    fn call(&mut self, call: &Call) {
        if let Some(audit) = &mut self.audit {
            audit.call(call);
        }
    }

    pub(crate) async fn fail(self, failure: &Failure) {
        self.end(&failure.code.name(), Some(failure.effect)).await;
    }

    async fn end(mut self, code: &str, failed: Option<Done>) {
        self.code = Some(code.to_owned());
        if let Some(audit) = self.audit.take() {
            audit.end(code, failed).await;
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        // Without a code, the caller went away during the call.
        let code = self.code.as_deref().unwrap_or("CANCELLED");
        let (operation, client) = (&*self.operation, &*self.client);
        tracing::info!(operation, client, ms, code, "answered");
        if let Some(mut audit) = self.audit.take() {
            audit.cancelled();
        }
    }
}

fn text(line: &Line) -> Bytes {
    let mut text = serde_json::to_vec(line).unwrap_or_else(|error| {
        let failure = Failure::internal(format!("cannot encode the answer: {error}"));
        serde_json::to_vec(&Line::Error(failure)).unwrap_or_default()
    });
    text.push(b'\n');
    text.into()
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use serde_json::json;
    use szk_wire::Client;
    use szk_wire::approvals::Approver;

    use super::*;
    use crate::testing::{Scripted, browser};

    #[tokio::test]
    async fn a_call_is_over_once_its_caller_hears_of_it() {
        let scripted = Scripted::on(browser(json!({}))).await;
        let client = Client::named("a");
        let keeper = scripted.keeper.for_client(client, Approver::Nobody);
        let answer = start(
            Arc::clone(&keeper),
            "browser_tabs".to_owned(),
            Found::Open,
            json!({}),
        );
        let mut lines = answer.into_body().into_data_stream();
        let line = lines.next().await.unwrap().unwrap();
        assert!(line.starts_with(b"{\"ok\""), "{line:?}");
        assert!(keeper.clients.work_of_others(None).is_empty());
        assert!(keeper.clients.quiet_since().is_none(), "it is not read yet");
    }
}
