//! The task that reads the supervisor's events and sets up each target.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::protocol::browser_protocol::target::{
    EventAttachedToTarget, EventDetachedFromTarget, EventTargetInfoChanged,
};
use szk_cdp::{CallError, Connection, Event, Events, SessionId};
use szk_config::Policy;
use tokio::sync::oneshot;

use super::gate::{Gate, Stage};
use super::guard;
use super::targets::Targets;
use super::watch;
use crate::stealth::{Order, Stealth, raw};

/// How long a paused page may take to answer before it is let go all the same: it holds its opener.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

/// Owns the set-up of targets; ends when the connection does.
pub(super) struct Actor {
    pub(super) connection: Connection,
    pub(super) gate: Gate,
    pub(super) targets: Arc<Targets>,
    pub(super) stealth: Arc<Stealth>,
    pub(super) policy: Arc<Policy>,
}

/// What the browser itself is made of is left alone: pausing its own pop-ups would hang it.
pub(super) fn root_filter() -> Value {
    json!([{"type": "browser", "exclude": true}, {"type": "tab", "exclude": true}, {"type": "browser_ui", "exclude": true}, {}])
}

/// Service workers come at root level already; they would be attached twice.
fn child_filter() -> Value {
    json!([{"type": "service_worker", "exclude": true}, {}])
}

pub(super) fn auto_attach(filter: &Value) -> Value {
    json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter})
}

/// An event of a target that is gone; chromiumoxide has no type for it with an optional reason.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetGone {
    target_id: String,
}

impl Actor {
    pub(super) async fn run(self, mut events: Events) {
        while let Some(event) = events.recv().await {
            self.handle(&event);
        }
        // What was open when the browser went away stays known: it is opened again after a crash.
    }

    fn handle(&self, event: &Event) {
        match event.method.as_str() {
            "Target.attachedToTarget" => match event.read::<EventAttachedToTarget>() {
                Ok(attached) => self.attached(&attached, event.session.clone()),
                Err(error) => tracing::error!(%error, "an attach event could not be read"),
            },
            "Target.detachedFromTarget" => {
                if let Ok(detached) = event.read::<EventDetachedFromTarget>() {
                    let session: String = detached.session_id.into();
                    if let Some(target_id) = self.targets.detached(&session) {
                        self.gate.mark(&target_id, Stage::Gone);
                    }
                }
            }
            "Target.targetInfoChanged" => {
                if let Ok(changed) = event.read::<EventTargetInfoChanged>() {
                    let info = changed.target_info;
                    self.targets
                        .changed(info.target_id.inner(), &info.url, &info.title);
                }
            }
            "Fetch.requestPaused" if event.session.is_none() => {
                guard::answer(&self.connection, &self.policy, event);
            }
            "Target.targetDestroyed" => {
                if let Ok(gone) = event.read::<TargetGone>() {
                    self.gate.mark(&gone.target_id, Stage::Gone);
                }
            }
            _ => {}
        }
    }

    /// Sets a target up. Everything is written here, in one go; the answers are awaited elsewhere.
    fn attached(&self, attached: &EventAttachedToTarget, parent: Option<SessionId>) {
        let info = &attached.target_info;
        if info.r#type == "browser" {
            // A client of the endpoint joining: its session is its own affair.
            return;
        }
        let session = SessionId::from(String::from(attached.session_id.clone()));
        let target_id = info.target_id.inner().clone();
        let mut replies = Vec::new();
        let orders = match info.r#type.as_str() {
            "page" | "iframe" => self.stealth.for_page(),
            kind if kind.contains("worker") || kind.contains("worklet") => {
                self.stealth.for_worker()
            }
            _ => &[],
        };
        // The size of a screen is a page's; a frame in it is told that it has none.
        let is_frame = info.r#type == "iframe";
        let orders = orders
            .iter()
            .filter(|order| !(is_frame && order.method == "Emulation.setDeviceMetricsOverride"));
        for Order {
            method,
            params,
            vital,
        } in orders
        {
            replies.push((
                *method,
                *vital,
                self.connection
                    .post_raw(Some(&session), method, Some(params.clone())),
            ));
        }
        // A page that is let go before it has answered may have lost its scripts when it swaps processes,
        // and other clients' sessions, which have pipes of their own, may let it go too. Paused pages
        // answer, so that is waited for; paused workers need not.
        let scripted = matches!(info.r#type.as_str(), "page" | "iframe") && replies.len() > 1;
        let ordered = if scripted { replies.len() } else { 0 };
        let standing = self.targets.standing(parent.as_ref());
        for (method, params) in watch::of(&info.r#type).into_iter().chain(standing) {
            replies.push((
                method,
                false,
                self.connection
                    .post_raw(Some(&session), method, Some(raw(&params))),
            ));
        }
        // Children of a target that cannot have any are refused; that is no loss.
        let children = raw(&auto_attach(&child_filter()));
        replies.push((
            "Target.setAutoAttach",
            false,
            self.connection
                .post_raw(Some(&session), "Target.setAutoAttach", Some(children)),
        ));
        // Always, even when no pause was announced: else `window.open` hangs its opener.
        let (connection, paused) = (self.connection.clone(), session.clone());
        let resume = move || {
            drop(connection.post_raw(Some(&paused), "Runtime.runIfWaitingForDebugger", None));
        };
        let (answered, all_answered) = oneshot::channel();
        let mut answered = Some(answered);
        if ordered == 0 {
            resume();
            self.gate.mark(&target_id, Stage::Written);
        } else {
            tokio::spawn(async move {
                // Answered, or nobody is left to say so.
                let _ = tokio::time::timeout(ANSWER_LIMIT, all_answered).await;
                resume();
            });
        }
        self.targets.attached(info, session, parent);
        let (gate, targets) = (self.gate.clone(), Arc::clone(&self.targets));
        tokio::spawn(async move {
            let mut refused = None;
            for (index, (method, vital, reply)) in replies.into_iter().enumerate() {
                if index > 0 && index == ordered {
                    gate.mark(&target_id, Stage::Written);
                    // Err: it took too long, and the page was let go.
                    let _ = answered.take().map(|answered| answered.send(()));
                }
                match reply.await {
                    Ok(_) | Err(CallError::SessionGone | CallError::Closed { .. }) => {}
                    // Chromium's words for a target that went away in the meantime.
                    Err(CallError::Remote { message, .. })
                        if message.contains("navigated or closed") => {}
                    Err(error) if vital => {
                        refused = Some(format!("`{method}` was refused: {error}"))
                    }
                    Err(error) => tracing::debug!(method, %error, "refused"),
                }
            }
            match refused {
                None => gate.mark(&target_id, Stage::Acked),
                Some(reason) => {
                    tracing::error!(%target_id, reason, "stealth is incomplete");
                    targets.in_trouble(&target_id, reason);
                    gate.mark(&target_id, Stage::Gone);
                }
            }
        });
    }
}
