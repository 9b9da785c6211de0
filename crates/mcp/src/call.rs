//! One tool call: progress, cancellation.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt as _;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use szk_tools::failure::Done;
use szk_tools::{Call, Code, Failure, Progress, Response};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Caller;

/// Progress reports that may queue for the client; beyond that they are dropped, since they only
/// inform.
const REPORTS: usize = 32;

/// Runs one call. Dropping the future cancels the operation; that happens when the client cancels the
/// request (`context.ct`) or the server exits (`stop`).
pub(crate) async fn run<C: Caller>(
    caller: &C,
    call: Call,
    context: &RequestContext<RoleServer>,
    stop: &CancellationToken,
) -> Result<Response, Failure> {
    let name = call.spec().name;
    let mut told = context
        .meta
        .get_progress_token()
        .map(|token| Told::to(context.peer.clone(), token));
    let (sender, mut reports) = mpsc::channel(REPORTS);
    let report = move |report: Progress| drop(sender.try_send(report));
    let call = AssertUnwindSafe(caller.call(call, &report)).catch_unwind();
    let mut call = pin!(call);
    let outcome = loop {
        tokio::select! {
            // In this order, so that a finished answer goes out even while the server is exiting.
            biased;
            Some(report) = reports.recv() => tell(&mut told, report).await,
            outcome = &mut call => {
                break outcome.unwrap_or_else(|panic| Err(panicked(name, panic.as_ref())));
            }
            () = stop.cancelled() => return Err(cancelled("`szk mcp` is stopping")),
            // The protocol sends no answer to a cancelled request, so this one goes nowhere.
            () = context.ct.cancelled() => return Err(cancelled("the client cancelled the call")),
        }
    };
    // Send the reports that came before the answer first.
    while let Ok(report) = reports.try_recv() {
        tell(&mut told, report).await;
    }
    outcome
}

/// Progress of one call, as reported to its client.
struct Told {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    /// The protocol requires progress to grow with every notification.
    last: Option<u32>,
    /// Steps of the current stage, plus those of earlier ones: a session opens, then tests run.
    total: u32,
    before: u32,
}

impl Told {
    fn to(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self {
            peer,
            token,
            last: None,
            total: 0,
            before: 0,
        }
    }
}

/// Sends a report to the client that asked for it.
async fn tell(told: &mut Option<Told>, report: Progress) {
    let Some(told) = told else { return };
    if report.total != told.total {
        told.total = report.total;
        told.before = told.last.unwrap_or_default();
    }
    let done = told.before.saturating_add(report.done);
    if told.last.is_some_and(|last| done <= last) {
        return;
    }
    told.last = Some(done);
    let mut note = ProgressNotificationParam::new(told.token.clone(), done.into())
        .with_message(report.message);
    if report.total > 0 {
        note = note.with_total(told.before.saturating_add(report.total).into());
    }
    if let Err(error) = told.peer.notify_progress(note).await {
        tracing::debug!(%error, "progress was not told");
    }
}

fn cancelled(message: &str) -> Failure {
    Failure::new(Code::Cancelled, message).effect(Done::Unknown)
}

/// A panic must not leave the client waiting for an answer.
fn panicked(name: &str, panic: &(dyn Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Failure::internal(format!("`{name}` panicked: {text}")).effect(Done::Unknown)
}
