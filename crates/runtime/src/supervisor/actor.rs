//! The task that reads the supervisor's events and sets up each target.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use szk_cdp::protocol::browser_protocol::target::{
    EventAttachedToTarget, EventDetachedFromTarget, EventTargetInfoChanged,
};
use szk_cdp::{Connection, Event, Events, SessionId};
use szk_config::Bounds;
use szk_endpoint::{Gate, Progress};

use super::event_domains;
use super::frame_recovery::FrameNavigations;
use super::guard;
use super::setup::Setup;
use super::targets::{Targets, is_prerendered};
use crate::stealth::{Kind, Order, Stealth};

/// Owns the set-up of targets; ends when the connection does.
pub(super) struct Actor {
    pub(super) connection: Connection,
    pub(super) gate: Gate,
    pub(super) targets: Arc<Targets>,
    pub(super) stealth: Arc<Stealth>,
    pub(super) bounds: Bounds,
    /// Navigations of frames that have not arrived.
    pub(super) frame_navigations: FrameNavigations,
}

/// What the browser itself is made of is left alone: pausing its own pop-ups would hang it. Pages come
/// by way of their tabs: to a page that is attached directly Chromium refuses prerendering.
pub(super) fn root_filter() -> Value {
    json!([{"type": "browser", "exclude": true}, {"type": "browser_ui", "exclude": true}, {"type": "page", "exclude": true}, {}])
}

/// What is told of: titles and URLs of pages, and the end of everything.
pub(super) fn discover_filter() -> Value {
    json!([{"type": "browser", "exclude": true}, {"type": "browser_ui", "exclude": true}, {"type": "tab", "exclude": true}, {}])
}

/// In a tab are the page that it shows, and those that it may go to.
fn tab_filter() -> Value {
    json!([{}])
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
    pub(super) async fn run(mut self, mut events: Events) {
        while let Some(event) = events.recv().await {
            self.handle(&event);
        }
        // What was open when the browser went away stays known: it is opened again after a crash.
    }

    fn handle(&mut self, event: &Event) {
        match event.method.as_str() {
            "Target.attachedToTarget" => match event.read::<EventAttachedToTarget>() {
                Ok(attached) => self.attached(&attached, event.session.as_ref()),
                Err(error) => tracing::error!(%error, "an attach event could not be read"),
            },
            "Target.detachedFromTarget" => {
                if let Ok(detached) = event.read::<EventDetachedFromTarget>() {
                    let session: String = detached.session_id.into();
                    if let Some(target) = self.targets.detached(&session) {
                        self.gate.mark(&target.target_id, Progress::Gone);
                        self.renew();
                        self.frame_navigations
                            .lost(target, &self.connection, &self.targets);
                    }
                }
            }
            "Network.requestWillBeSent" => self.frame_navigations.learn(event),
            "Target.targetInfoChanged" => {
                if let Ok(changed) = event.read::<EventTargetInfoChanged>() {
                    self.targets.changed(&changed.target_info);
                }
            }
            "Target.targetCrashed" => {
                if let Ok(crashed) = event.read::<TargetGone>() {
                    self.targets.crashed(&crashed.target_id, true);
                }
            }
            // Told of a page that was crashed when it is somewhere again.
            "Page.frameNavigated" | "Inspector.targetReloadedAfterCrash" => {
                if let Some(target) = event
                    .session
                    .as_ref()
                    .and_then(|s| self.targets.target_of(s))
                {
                    self.targets.crashed(&target, false);
                }
            }
            "Fetch.requestPaused" if event.session.is_none() => {
                guard::answer(&self.connection, &self.bounds, event);
            }
            "Target.targetDestroyed" => {
                if let Ok(gone) = event.read::<TargetGone>() {
                    self.gate.mark(&gone.target_id, Progress::Gone);
                }
            }
            _ => {}
        }
    }

    /// What was set for a whole process ends with the session that set it: the others of that process
    /// set it again. Those of other processes refuse it, which is no loss.
    fn renew(&self) {
        let Some(order) = self.stealth.renewed() else {
            return;
        };
        for target in self.targets.all() {
            let context = target.browser_context.as_deref();
            if !self
                .targets
                .client_contexts(|it| it.emulates(context, order.method))
            {
                continue;
            }
            let params = Some(order.params.clone());
            // It may be gone, or have it still.
            drop(
                self.connection
                    .post_raw(Some(&target.session), order.method, params),
            );
        }
    }

    /// Sets a target up.
    fn attached(&self, attached: &EventAttachedToTarget, parent: Option<&SessionId>) {
        let info = &attached.target_info;
        let session = SessionId::from(String::from(attached.session_id.clone()));
        let Some(kind) = Kind::of(&info.r#type) else {
            // A client of the endpoint joining has a browser session, which is its own affair.
            return;
        };
        match kind {
            Kind::Tab => self
                .targets
                .tab_attached(session.clone(), info.target_id.inner()),
            _ => self.targets.attached(info, session.clone(), parent),
        }
        let context = info.browser_context_id.as_ref();
        let context = context.map(|context| context.inner().as_str());
        let popup = kind == Kind::Page && info.opener_id.is_some();
        // A popup that cannot reach its opener has its own process, and every session has to resume it.
        if popup && info.can_access_opener {
            self.gate.add_popup(info.target_id.inner());
        }
        let setup = Setup {
            connection: self.connection.clone(),
            gate: self.gate.clone(),
            targets: Arc::clone(&self.targets),
            target_id: info.target_id.inner().clone(),
            name: info.r#type.clone(),
            kind,
            // A page that is prerendered is held before it has anybody who could answer.
            answers: matches!(kind, Kind::Page | Kind::Frame) && !is_prerendered(info),
            left: popup && self.targets.client_contexts(|it| it.leaves_popups(context)),
            session,
        };
        if kind == Kind::Tab {
            // Without it the tab's pages would be nobody's.
            let pages = Order::vital("Target.setAutoAttach", &auto_attach(&tab_filter()));
            return setup.begin(&[pages], Vec::new());
        }
        let watched = event_domains::commands_for(&info.r#type).into_iter();
        let mut then: Vec<_> = watched
            .map(|(method, params)| (Order::wished(method, &params), None))
            .collect();
        let overrides = self.targets.overrides_below(parent).into_iter();
        then.extend(overrides.map(|(order, revision)| (order, Some(revision))));
        let children = auto_attach(&child_filter());
        then.push((Order::wished("Target.setAutoAttach", &children), None));
        let orders = self.stealth.orders(kind).iter();
        let orders: Vec<_> = self.targets.client_contexts(|contexts| {
            let emulates = |order: &&Order| contexts.emulates(context, order.method);
            orders.filter(emulates).cloned().collect()
        });
        setup.begin(&orders, then);
    }
}
