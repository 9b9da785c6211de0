//! The task that reads the supervisor's events and sets up each target.

use std::sync::Arc;

use serde::Deserialize;
use szk_cdp::protocol::fetch::EventRequestPaused;
use szk_cdp::protocol::inspector::EventTargetReloadedAfterCrash;
use szk_cdp::protocol::network::{EventLoadingFailed, EventRequestWillBeSent};
use szk_cdp::protocol::page::EventFrameNavigated;
use szk_cdp::protocol::target::{
    CloseTargetParams, EventAttachedToTarget, EventDetachedFromTarget, EventTargetCrashed,
    EventTargetDestroyed, EventTargetInfoChanged, FilterEntry, SetAutoAttachParams, TargetFilter,
};
use szk_cdp::{Connection, Event, Events, SessionId};
use szk_config::Bounds;
use szk_endpoint::{Gate, Progress};

use super::event_domains;
use super::fence::Fences;
use super::frame_recovery::FrameNavigations;
use super::guard;
use super::load_failures::{LoadFailures, Unreachable};
use super::setup::Setup;
use super::target_events::{Attached, Changed, Detached, Navigated};
use super::targets::Targets;
use crate::stealth::{Kind, Stealth, TargetCommand};

/// Owns the set-up of targets; ends when the connection does.
pub(super) struct Actor {
    pub(super) connection: Connection,
    pub(super) gate: Gate,
    pub(super) targets: Arc<Targets>,
    pub(super) stealth: Arc<Stealth>,
    pub(super) bounds: Bounds,
    pub(super) fences: Fences,
    /// Navigations of frames that have not arrived.
    pub(super) frame_navigations: FrameNavigations,
    pub(super) failures: LoadFailures,
}

/// Leaves the browser's own parts alone: pausing its own pop-ups would hang it. Pages come by way of
/// their tabs, because Chromium refuses prerendering to a page that is attached directly.
pub(super) fn root_filter() -> TargetFilter {
    filter(&["browser", "browser_ui", "page"])
}

/// Report titles and URLs of pages, and when anything ends.
pub(super) fn discover_filter() -> TargetFilter {
    filter(&["browser", "browser_ui", "tab"])
}

/// A tab contains the page that it shows, and those that it may navigate to.
fn tab_filter() -> TargetFilter {
    filter(&[])
}

/// Service workers already come at root level; they would be attached twice.
fn child_filter() -> TargetFilter {
    filter(&["service_worker"])
}

/// Everything but these kinds.
fn filter(excluded: &[&str]) -> TargetFilter {
    let excluded = excluded.iter().map(|kind| FilterEntry {
        exclude: Some(true),
        r#type: Some((*kind).to_owned()),
    });
    let all = [FilterEntry::default()];
    TargetFilter::new(excluded.chain(all).collect::<Vec<_>>())
}

pub(super) fn auto_attach(filter: TargetFilter) -> SetAutoAttachParams {
    SetAutoAttachParams {
        flatten: Some(true),
        filter: Some(filter),
        ..SetAutoAttachParams::new(true, true)
    }
}

/// An event of a target that is gone.
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
        // The tabs that were open when the browser went away stay known: they reopen after a crash.
    }

    fn handle(&mut self, event: &Event) {
        match event.method.as_str() {
            EventAttachedToTarget::IDENTIFIER => match event.read::<Attached>() {
                Ok(attached) => self.attached(&attached, event.session.as_ref()),
                Err(error) => tracing::error!(%error, "an attach event could not be read"),
            },
            EventDetachedFromTarget::IDENTIFIER => {
                if let Ok(detached) = event.read::<Detached>()
                    && let Some(target) = self.targets.detached(&detached.session_id)
                {
                    self.gate.mark(&target.target_id, Progress::Gone);
                    self.renew();
                    self.frame_navigations
                        .lost(target, &self.connection, &self.targets);
                }
            }
            EventRequestWillBeSent::IDENTIFIER => self.frame_navigations.learn(event),
            EventLoadingFailed::IDENTIFIER => self.failures.learn(event),
            EventTargetInfoChanged::IDENTIFIER => {
                if let Ok(changed) = event.read::<Changed>() {
                    self.targets.changed(&changed.target_info);
                }
            }
            EventTargetCrashed::IDENTIFIER => {
                if let Ok(crashed) = event.read::<TargetGone>() {
                    self.targets.crashed(&crashed.target_id, true);
                }
            }
            // Reports where a crashed page is once it has navigated again.
            EventFrameNavigated::IDENTIFIER | EventTargetReloadedAfterCrash::IDENTIFIER => {
                if let Some(target) = event
                    .session
                    .as_ref()
                    .and_then(|s| self.targets.target_of(s))
                {
                    self.targets.crashed(&target, false);
                    if let Ok(Navigated { frame }) = event.read()
                        && frame.parent_id.is_none()
                    {
                        let url = frame.unreachable_url;
                        let unreachable = url.map(|url| Unreachable {
                            url,
                            reason: self.failures.of(&frame.loader_id),
                        });
                        self.targets.arrived(&target, unreachable);
                    }
                }
            }
            EventRequestPaused::IDENTIFIER if event.session.is_none() => {
                let may_go = |frame: &str, url: &str| {
                    let goes = self.fences.allow(&self.bounds, &self.targets, frame, url);
                    if !goes && self.targets.is_blank_popup(frame) {
                        // It was opened for this document only.
                        let close = CloseTargetParams::new(frame.to_owned());
                        self.connection.tell(None, &close);
                    }
                    goes
                };
                guard::answer(&self.connection, &self.bounds, event, &may_go);
            }
            EventTargetDestroyed::IDENTIFIER => {
                if let Ok(gone) = event.read::<TargetGone>() {
                    self.gate.mark(&gone.target_id, Progress::Gone);
                }
            }
            _ => {}
        }
    }

    /// A setting for a whole process ends with the session that set it, so the other targets of that
    /// process set it again. Targets of other processes refuse it, which does no harm.
    fn renew(&self) {
        let Some(order) = self.stealth.renewed() else {
            return;
        };
        for target in self.targets.all() {
            let context = target.browser_context.as_deref();
            if !self
                .targets
                .client_contexts(|it| it.emulates(context, order.method()))
            {
                continue;
            }
            // It may be gone, or may still have it.
            self.connection.tell(Some(&target.session), &order.command);
        }
    }

    /// Sets up a target.
    fn attached(&self, attached: &Attached, parent: Option<&SessionId>) {
        let info = &attached.target_info;
        let session = attached.session_id.clone();
        let Some(kind) = Kind::of(&info.r#type) else {
            // A client of the endpoint that joins has a browser session of its own.
            return;
        };
        match kind {
            Kind::Tab => self.targets.tab_attached(session.clone(), &info.target_id),
            _ => self.targets.attached(info, session.clone(), parent),
        }
        let context = info.browser_context_id.as_deref();
        let popup = kind == Kind::Page && info.opener_id.is_some();
        // A popup that cannot reach its opener has its own process, and every session has to resume it.
        if popup && info.can_access_opener {
            self.gate.add_popup(&info.target_id);
        }
        let setup = Setup {
            connection: self.connection.clone(),
            gate: self.gate.clone(),
            targets: Arc::clone(&self.targets),
            target_id: info.target_id.clone(),
            name: info.r#type.clone(),
            kind,
            // A prerendered page is held before it can answer.
            answers: matches!(kind, Kind::Page | Kind::Frame) && !info.is_prerendered(),
            left: popup && self.targets.client_contexts(|it| it.leaves_popups(context)),
            session,
        };
        if kind == Kind::Tab {
            // Without it no one would attach to the tab's pages.
            let pages = TargetCommand::vital(&auto_attach(tab_filter()));
            return setup.begin(&[pages], Vec::new());
        }
        let watched = event_domains::commands_for(&info.r#type).into_iter();
        let mut then: Vec<_> = watched
            .map(|command| (TargetCommand::wished(&command), None))
            .collect();
        let running = self.stealth.orders_once_running(kind).iter();
        then.extend(running.map(|order| (order.clone(), None)));
        let overrides = self.targets.overrides_below(parent).into_iter();
        then.extend(overrides.map(|(order, revision)| (order, Some(revision))));
        then.push((TargetCommand::wished(&auto_attach(child_filter())), None));
        let orders = self.stealth.orders(kind).iter();
        let orders: Vec<_> = self.targets.client_contexts(|contexts| {
            let emulates = |order: &&TargetCommand| contexts.emulates(context, order.method());
            orders.filter(emulates).cloned().collect()
        });
        setup.begin(&orders, then);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filters_leave_out_what_they_name_and_end_with_everything_else() {
        let excluded = |kind: &str| json!({"type": kind, "exclude": true});
        let check = |filter, kinds: &[&str]| {
            let mut expected: Vec<_> = kinds.iter().map(|kind| excluded(kind)).collect();
            expected.push(json!({}));
            assert_eq!(
                json!(auto_attach(filter)),
                json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
                    "filter": expected})
            );
        };
        check(root_filter(), &["browser", "browser_ui", "page"]);
        check(discover_filter(), &["browser", "browser_ui", "tab"]);
        check(tab_filter(), &[]);
        check(child_filter(), &["service_worker"]);
    }
}
