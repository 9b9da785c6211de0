//! The targets that a client is attached to, and those it keeps paused.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::target::{EventAttachedToTarget, EventDetachedFromTarget};
use szk_cdp::{Event, SessionId};
use tokio::time::Instant;

use crate::INTERNAL_KINDS;
use crate::shield::Kind;

/// The targets behind a client's sessions, learned from its own events.
pub(super) struct Targets {
    attached: HashMap<SessionId, Attached>,
    /// When each pause ends, soonest first. Entries of sessions that were resumed meanwhile stay until
    /// their time.
    pauses: VecDeque<(Instant, SessionId)>,
    limit: Duration,
}

#[derive(Debug)]
struct Attached {
    target: String,
    kind: String,
    /// The browser context that it is in, if Chromium said so.
    context: Option<String>,
    /// The supervisor attaches to it too, and sets it up.
    supervised: bool,
    parent: Option<SessionId>,
    /// The client has to resume it.
    paused: bool,
    /// The client has finished its initial commands.
    begun: bool,
    /// Its stealth was awaited once, which is enough.
    acked: bool,
    /// A page that another page opened and can write to.
    popup: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedEvent {
    session_id: SessionId,
    target_info: Info,
    #[serde(default)]
    waiting_for_debugger: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    browser_context_id: Option<String>,
    #[serde(default)]
    can_access_opener: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DetachedEvent {
    session_id: SessionId,
}

impl Targets {
    /// `limit` is how long a target may be paused.
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            attached: HashMap::new(),
            pauses: VecDeque::new(),
            limit,
        }
    }

    /// Learns from an event. Returns the session that ended, if one did.
    pub(super) fn learn(&mut self, event: &Event) -> Option<SessionId> {
        match &*event.method {
            EventAttachedToTarget::IDENTIFIER => {
                if let Ok(attached) = event.read() {
                    self.attach(attached, event.session.clone());
                }
                None
            }
            EventDetachedFromTarget::IDENTIFIER => {
                let DetachedEvent { session_id } = event.read().ok()?;
                self.detach(&session_id);
                Some(session_id)
            }
            _ => None,
        }
    }

    /// The target of a session, if the supervisor sets it up. There is nothing to wait for with others.
    pub(super) fn of(&self, session: &SessionId) -> Option<&str> {
        let attached = self
            .attached
            .get(session)
            .filter(|attached| attached.supervised);
        attached.map(|attached| &*attached.target)
    }

    /// The target of a session, if resuming it for the client would also resume it for the supervisor.
    /// That is not so for frames that move to another process: Chromium shows them to one session after
    /// the other, and each holds them by itself, so waiting for the supervisor would be a deadlock.
    pub(super) fn released(&self, session: &SessionId) -> Option<&str> {
        let frame = |attached: &Attached| attached.kind == "iframe";
        self.of(session)
            .filter(|_| !self.attached.get(session).is_some_and(frame))
    }

    /// The kind and id of a session's target, if scripts run there.
    pub(super) fn scripted(&self, session: &SessionId) -> Option<(Kind, &str)> {
        let Attached { kind, target, .. } = self.attached.get(session)?;
        let kind = match &**kind {
            kind if INTERNAL_KINDS.contains(&kind) => return None,
            kind if kind.contains("worker") || kind.contains("worklet") => Kind::Worker,
            _ => Kind::Frames,
        };
        Some((kind, target))
    }

    /// The browser context of a session's target: its own, or that of the target around it.
    pub(super) fn context(&self, session: &SessionId) -> Option<&str> {
        let mut attached = self.attached.get(session)?;
        while attached.context.is_none() {
            attached = self.attached.get(attached.parent.as_ref()?)?;
        }
        attached.context.as_deref()
    }

    /// Whether it is a popup that has not navigated yet, from the client's point of view.
    pub(super) fn opens(&self, session: &SessionId) -> bool {
        let attached = self.attached.get(session);
        attached.is_some_and(|attached| attached.popup && attached.paused)
    }

    /// Whether the client keeps it paused.
    pub(super) fn pauses(&self, session: &SessionId) -> bool {
        let attached = self.attached.get(session);
        attached.is_some_and(|attached| attached.paused)
    }

    /// The target of a session, if its stealth must be in place before it may navigate.
    pub(super) fn awaited(&mut self, session: &SessionId) -> Option<&str> {
        let attached = self
            .attached
            .get_mut(session)
            .filter(|attached| attached.supervised)?;
        let first = !attached.paused && !std::mem::replace(&mut attached.acked, true);
        first.then_some(&*attached.target)
    }

    /// The target of a session, if it is a page.
    pub(super) fn page(&self, session: &SessionId) -> Option<&str> {
        let page = |attached: &Attached| attached.kind == "page";
        self.of(session)
            .filter(|_| self.attached.get(session).is_some_and(page))
    }

    /// The page of a session, or the page around its target.
    pub(super) fn page_around(&self, session: &SessionId) -> Option<&str> {
        let mut attached = self.attached.get(session)?;
        while attached.kind != "page" {
            attached = self.attached.get(attached.parent.as_ref()?)?;
        }
        Some(&attached.target)
    }

    /// A session of the client with this target.
    pub(super) fn session_with(&self, target: &str) -> Option<SessionId> {
        let mut attached = self.attached.iter();
        let found = attached.find(|(_, attached)| attached.target == target);
        found.map(|(session, _)| session.clone())
    }

    /// Records that the client resumed it.
    pub(super) fn resumed(&mut self, session: &SessionId) {
        if let Some(attached) = self.attached.get_mut(session) {
            attached.paused = false;
            attached.begun = true;
        }
    }

    /// Records that the client has no set-up to finish: it attached by itself, not because the target
    /// opened or was there when it came.
    pub(super) fn begin(&mut self, session: &SessionId) {
        if let Some(attached) = self.attached.get_mut(session) {
            attached.begun = true;
        }
    }

    /// Records that the client works in it. In a paused target that may still be set-up.
    pub(super) fn works(&mut self, session: &SessionId) {
        if let Some(attached) = self.attached.get_mut(session) {
            attached.begun |= !attached.paused;
        }
    }

    /// Whether the client has finished its initial commands.
    pub(super) fn begun(&self, session: &SessionId) -> bool {
        let attached = self.attached.get(session);
        attached.is_some_and(|attached| attached.begun)
    }

    /// When the next pause ends.
    pub(super) fn next_overdue(&self) -> Option<Instant> {
        self.pauses.front().map(|(at, _)| *at)
    }

    /// A session whose pause has ended without being resumed.
    pub(super) fn overdue(&mut self, now: Instant) -> Option<SessionId> {
        while self.next_overdue().is_some_and(|at| at <= now) {
            let (_, session) = self.pauses.pop_front()?;
            if let Some(attached) = self.attached.get_mut(&session)
                && std::mem::replace(&mut attached.paused, false)
            {
                return Some(session);
            }
        }
        None
    }

    /// Holds it for as long again.
    pub(super) fn postpone(&mut self, session: SessionId, now: Instant) {
        if let Some(attached) = self.attached.get_mut(&session) {
            attached.paused = true;
            self.pauses.push_back((now + self.limit, session));
        }
    }

    fn attach(&mut self, event: AttachedEvent, parent: Option<SessionId>) {
        let AttachedEvent {
            session_id,
            target_info,
            waiting_for_debugger: paused,
        } = event;
        if paused {
            self.pauses
                .push_back((Instant::now() + self.limit, session_id.clone()));
        }
        let Info {
            target_id: target,
            kind,
            browser_context_id: context,
            can_access_opener,
        } = target_info;
        let popup = can_access_opener && kind == "page";
        let supervised = !INTERNAL_KINDS.contains(&&*kind);
        let attached = Attached {
            target,
            kind,
            context,
            supervised,
            parent,
            paused,
            begun: false,
            acked: false,
            popup,
        };
        self.attached.insert(session_id, attached);
    }

    /// Forgets a session and all that were attached on it, about which Chromium reports nothing.
    fn detach(&mut self, session: &SessionId) {
        if self.attached.remove(session).is_none() {
            return;
        }
        let below = self
            .attached
            .iter()
            .filter(|(_, attached)| attached.parent.as_ref() == Some(session));
        for child in below.map(|(child, _)| child.clone()).collect::<Vec<_>>() {
            self.detach(&child);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn event(session: Option<&str>, method: &str, params: &Value) -> Event {
        let (session, method) = (session.map(SessionId::from), method.to_owned());
        let params = szk_cdp::raw(params);
        Event {
            session,
            method,
            params,
        }
    }

    fn attach(targets: &mut Targets, parent: Option<&str>, session: &str) {
        let info = json!({"targetId": format!("T-{session}"), "type": "page"});
        let params = json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": true});
        targets.learn(&event(parent, "Target.attachedToTarget", &params));
    }

    #[test]
    fn sessions_below_a_session_end_with_it() {
        let mut targets = Targets::new(Duration::ZERO);
        attach(&mut targets, None, "page");
        attach(&mut targets, Some("page"), "frame");
        attach(&mut targets, Some("frame"), "worker");
        attach(&mut targets, None, "other");
        let params = json!({"sessionId": "page"});
        let ended = targets.learn(&event(None, "Target.detachedFromTarget", &params));
        assert_eq!(ended, Some("page".into()));
        assert_eq!(targets.attached.len(), 1);
        assert_eq!(targets.of(&"other".into()), Some("T-other"));
        assert_eq!(targets.overdue(Instant::now()), Some("other".into()));
        assert_eq!(targets.overdue(Instant::now()), None);
    }
}
