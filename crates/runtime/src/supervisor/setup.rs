//! Sets up one target: sends its commands, resumes it, and closes it if it refuses a vital one.
//!
//! Nothing runs half protected. A target that refuses a vital command is closed, with a warning; if that
//! happens while the session opens, the session does not open.

use std::sync::Arc;
use std::time::Duration;

use szk_cdp::protocol::emulation::SetScriptExecutionDisabledParams;
use szk_cdp::protocol::runtime::RunIfWaitingForDebuggerParams;
use szk_cdp::protocol::target::CloseTargetParams;
use szk_cdp::{CallError, Connection, Done, Reply, SessionId};
use szk_endpoint::{Gate, Progress};

use super::guard;
use super::tab_overrides::{self, Added, Revision};
use super::targets::Targets;
use crate::stealth::{Kind, TargetCommand};

/// After this long without an answer, log that a held target is slow.
const SLOW: Duration = Duration::from_secs(10);

/// How long a client may hold a target that it resumes itself.
const LEFT: Duration = Duration::from_secs(6);

/// How often to send a command again to a target that keeps changing processes.
const TRIES: u32 = 10;

/// A command and its pending answer.
type Posted = (TargetCommand, Reply<Added>);

/// A target being set up.
pub(super) struct Setup {
    pub(super) connection: Connection,
    pub(super) gate: Gate,
    pub(super) targets: Arc<Targets>,
    pub(super) target_id: String,
    /// CDP's name for its kind.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Whether it answers while it is held before its first script.
    pub(super) answers: bool,
    /// Whether a client resumes it, because the client has to set it up too.
    pub(super) left: bool,
    pub(super) session: SessionId,
}

impl Setup {
    /// Writes everything in one go, so that nothing comes between; a task of its own reads the answers.
    /// Commands from overrides of its tab carry the revision of the overrides.
    pub(super) fn begin(
        self,
        orders: &[TargetCommand],
        then: Vec<(TargetCommand, Option<Revision>)>,
    ) {
        let ordered: Vec<Posted> = orders.iter().map(|order| self.post(order)).collect();
        // A page that is resumed before it has answered may lose its scripts when it swaps processes,
        // and other clients' sessions, which have pipes of their own, may resume it too. Held pages
        // answer, so wait for them; held workers do not. The first command only enables the rest.
        let held = self.answers && ordered.len() > 1;
        self.gate.mark(&self.target_id, Progress::Seen);
        let then = then.into_iter();
        let then = then
            .map(|(order, revision)| (self.post(&order), revision))
            .collect();
        if !held {
            self.let_go();
        }
        tokio::spawn(self.finish(ordered, then, held));
    }

    fn post(&self, order: &TargetCommand) -> Posted {
        (order.clone(), self.send(order))
    }

    fn send(&self, order: &TargetCommand) -> Reply<Added> {
        self.connection.post(Some(&self.session), &order.command)
    }

    /// Always resume, even if no pause was announced: otherwise `window.open` hangs its opener.
    fn let_go(&self) {
        let connection = self.connection.clone();
        let session = self.session.clone();
        let gate = self.gate.clone();
        let target_id = self.target_id.clone();
        let resume = move || {
            if gate.claims_resume(&target_id) {
                connection.tell(Some(&session), &RunIfWaitingForDebuggerParams::default());
            }
        };
        if self.left {
            // A client that forgets to resume it must not freeze its opener.
            tokio::spawn(async move {
                tokio::time::sleep(LEFT).await;
                resume();
            });
        } else {
            resume();
        }
        self.gate.mark(&self.target_id, Progress::Written);
    }

    async fn finish(self, ordered: Vec<Posted>, then: Vec<(Posted, Option<Revision>)>, held: bool) {
        let answers = self.answers(ordered);
        tokio::pin!(answers);
        // However long it takes: it has no scripts of its own yet, and must not get any before ours.
        let refused = match tokio::time::timeout(SLOW, &mut answers).await {
            Ok(refused) => refused,
            Err(_) => {
                tracing::warn!(
                    target_id = self.target_id,
                    kind = self.name,
                    "is slow to set up"
                );
                answers.await
            }
        };
        if let Some((method, error)) = refused {
            self.refused(&method, &error).await;
            return;
        }
        if held {
            self.let_go();
        }
        for ((order, reply), revision) in then {
            match (reply.await, revision) {
                (Ok(answer), Some(revision)) => tab_overrides::keep(
                    &self.connection,
                    &self.targets,
                    &self.session,
                    revision,
                    answer,
                ),
                (Ok(_), None) => {}
                // Targets that cannot have children refuse to attach to them, which does no harm.
                (Err(error), _) => tracing::debug!(method = order.method(), %error, "refused"),
            }
        }
        self.gate.mark(&self.target_id, Progress::Acked);
    }

    /// Waits for all answers; returns the first vital command that was refused, with the reason. A
    /// target that is gone is not a failure.
    async fn answers(&self, posted: Vec<Posted>) -> Option<(String, CallError)> {
        let mut refused = None;
        for (order, reply) in posted {
            let mut answer = reply.await;
            for _ in 0..TRIES {
                match &answer {
                    // A target that is gone for good says so.
                    Err(error) if was_lost(error) => answer = self.send(&order).await,
                    _ => break,
                }
            }
            match answer {
                Ok(_) | Err(CallError::SessionGone | CallError::Closed { .. }) => {}
                Err(error) if order.vital => {
                    refused = refused.or(Some((order.method().to_owned(), error)));
                }
                Err(error) => tracing::debug!(method = order.method(), %error, "refused"),
            }
        }
        refused
    }

    /// Closes a target that would run half protected, and reports it.
    async fn refused(&self, method: &str, error: &CallError) {
        let reason = format!("a `{}` refused `{method}`: {error}", self.name);
        tracing::error!(
            target_id = self.target_id,
            reason,
            "stealth is incomplete; closing it"
        );
        self.targets.in_trouble(&self.target_id, reason);
        self.gate.mark(&self.target_id, Progress::Gone);
        if self.answers && self.kind == Kind::Page {
            self.let_go_mute().await;
        }
        // Frames and their workers cannot be closed alone, so close the page that contains them.
        let closing = self.close(&self.targets.outermost(&self.target_id));
        if let Err(error) = closing.await {
            tracing::error!(target_id = self.target_id, %error, "cannot close it");
        }
    }

    /// Resumes a held page without letting it run anything. A page that is closed while it is held may
    /// block its opener for ever. Frames can be closed without being resumed.
    async fn let_go_mute(&self) {
        let session = Some(&self.session);
        // What its opener writes into it does not run, and the page it was opened for does not load.
        let mute = SetScriptExecutionDisabledParams::new(true);
        let muted = self.connection.post::<Done>(session, &mute);
        let kept = self.connection.post(session, &guard::every_request());
        self.gate.claims_resume(&self.target_id);
        let go = RunIfWaitingForDebuggerParams::default();
        let gone = self.connection.post(session, &go);
        let all = async {
            for reply in [muted, kept, gone] {
                // It may already be gone.
                if let Err(error) = reply.await {
                    tracing::debug!(%error, "not resumed");
                }
            }
        };
        if tokio::time::timeout(SLOW, all).await.is_err() {
            tracing::warn!(target_id = self.target_id, "does not answer");
        }
    }

    fn close(&self, target_id: &str) -> Reply<Done> {
        self.connection
            .post(None, &CloseTargetParams::new(target_id.to_owned()))
    }
}

/// Chromium's messages about a target that went away or changed processes before it could answer.
fn was_lost(error: &CallError) -> bool {
    matches!(error, CallError::Remote { message, .. } if message.contains("navigated or closed"))
}
