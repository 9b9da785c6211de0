//! One tool call: progress, cancellation.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::FutureExt as _;
#[expect(deprecated, reason = "clients up to 2025-11-25 have log messages")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::json;
use szk_client::Approver;
use szk_tools::failure::Done;
use szk_tools::{Call, Code, Failure, Progress, Response};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::Caller;
use crate::tasks::Running;

/// Progress reports that may queue for the client; beyond that they are dropped, since they only
/// inform.
const REPORTS: usize = 32;

/// Whom a call serves: who hears of its progress, and who can end it.
#[derive(Debug)]
pub(crate) enum Origin {
    /// A request that waits for the answer.
    Request {
        context: Box<RequestContext<RoleServer>>,
        /// Whether its client takes log messages.
        logs: bool,
    },
    /// A task.
    Task(Running),
}

impl Origin {
    fn told(&self, name: &'static str) -> Option<ProgressListener> {
        match self {
            Self::Request { context, logs } => {
                let peer = context.peer.clone();
                match context.meta.get_progress_token() {
                    Some(token) => Some(ProgressListener::Client(Client::to(peer, token))),
                    None => logs.then(|| ProgressListener::Log(Log { peer, name })),
                }
            }
            Self::Task(task) => Some(ProgressListener::Task(task.clone())),
        }
    }

    async fn cancelled(&self) {
        match self {
            Self::Request { context, .. } => context.ct.cancelled().await,
            Self::Task(task) => task.cancelled().await,
        }
    }
}

/// Runs one call. Dropping the future cancels the operation; that happens when the client cancels the
/// request or the task, or when the server exits (`stop`).
pub(crate) async fn run<C: Caller>(
    caller: &C,
    call: Call,
    approver: Approver<'_>,
    origin: &Origin,
    stop: &CancellationToken,
) -> Result<Response, Failure> {
    let name = call.spec().name;
    let mut told = origin.told(name);
    let (sender, mut reports) = mpsc::channel(REPORTS);
    let report = move |report: Progress| drop(sender.try_send(report));
    let call = AssertUnwindSafe(caller.call_approved(call, approver, &report)).catch_unwind();
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
            () = origin.cancelled() => return Err(cancelled("the client cancelled the call")),
        }
    };
    // Send the reports that came before the answer first.
    while let Ok(report) = reports.try_recv() {
        tell(&mut told, report).await;
    }
    outcome
}

/// Who hears of the progress of one call.
enum ProgressListener {
    /// Who asked for it.
    Client(Client),
    /// Who did not, and takes log messages.
    Log(Log),
    Task(Running),
}

/// Progress of one call as log messages, for a client that did not ask for it.
struct Log {
    peer: Peer<RoleServer>,
    /// The operation.
    name: &'static str,
}

impl Log {
    #[expect(deprecated, reason = "clients up to 2025-11-25 have log messages")]
    async fn tell(&self, report: &Progress) {
        let data = json!({"message": report.message, "done": report.done, "total": report.total});
        let message =
            LoggingMessageNotificationParam::new(LoggingLevel::Info, data).with_logger(self.name);
        if let Err(error) = self.peer.notify_logging_message(message).await {
            tracing::debug!(%error, "progress was not told");
        }
    }
}

/// Progress of one call, as reported to its client.
struct Client {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    /// The protocol requires progress to grow with every notification.
    last: Option<u32>,
    /// Steps of the current stage, plus those of earlier ones: a session opens, then tests run.
    total: u32,
    before: u32,
}

impl Client {
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

/// Passes a report on to whoever asked for it.
async fn tell(told: &mut Option<ProgressListener>, report: Progress) {
    let told = match told {
        Some(ProgressListener::Client(client)) => client,
        Some(ProgressListener::Log(log)) => return log.tell(&report).await,
        Some(ProgressListener::Task(task)) => return task.tell(&report.message),
        None => return,
    };
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
