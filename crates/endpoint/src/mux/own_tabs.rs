//! `endpoint.tabs = "own"`: a client sees the tabs that it opened, and what they open.
//!
//! Chromium attaches an auto-attaching client to everything. The endpoint hides the targets of others: it
//! resumes them once the supervisor has set them up, and detaches. Chromium announces a new page before it
//! answers the command that made it, so events about unknown targets wait while the client makes a page.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use szk_cdp::protocol::target::EventAttachedToTarget;
use szk_cdp::{Event, SessionId, json, raw};

/// The targets that a client sees.
#[derive(Debug, Default)]
pub(super) struct OwnTabs {
    targets: HashSet<String>,
    /// Sessions with Chromium's own tabs. Only the page in a tab shows who owns it.
    tabs: HashSet<SessionId>,
    /// How many pages the client is making.
    creating: usize,
    /// Events that may be about one of those pages.
    deferred: Vec<Event>,
}

/// What the client sees of an event.
#[derive(Debug)]
pub(super) enum Visibility {
    Shown,
    /// It is about a target that is not the client's.
    Hidden,
    /// The client was attached to such a target: resume it and detach.
    Detach {
        session: SessionId,
        target: String,
    },
    /// Whose target it is about is not known yet.
    Deferred,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    target_info: Option<Info>,
    target_id: Option<String>,
    session_id: Option<SessionId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    target_id: String,
    #[serde(rename = "type")]
    kind: String,
    opener_id: Option<String>,
    browser_context_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct All {
    target_infos: Vec<Box<RawValue>>,
}

impl OwnTabs {
    /// Decides whether the client sees an event. `root` is the client's browser session, `contexts` are the
    /// browser contexts that it made.
    pub(super) fn visibility(
        &mut self,
        event: &Event,
        root: &SessionId,
        contexts: &HashSet<String>,
    ) -> Visibility {
        if !event.method.starts_with("Target.") {
            return Visibility::Shown;
        }
        let Ok(about) = event.read::<About>() else {
            return Visibility::Shown;
        };
        let session = event.session.as_ref();
        let Some(info) = about.target_info else {
            // The end of a session or a target: only a target that was shown can end.
            let Some(id) = about.target_id.filter(|_| session == Some(root)) else {
                return Visibility::Shown;
            };
            return if self.targets.contains(&id) {
                Visibility::Shown
            } else {
                Visibility::Hidden
            };
        };
        // Everything below a page of its own belongs to it.
        let below = session.is_some_and(|session| session != root && !self.tabs.contains(session));
        let tab = info.kind == "tab" && self.creating > 0;
        if below || tab || info.kind == "browser" || self.has(&info, contexts) {
            self.targets.insert(info.target_id);
            if info.kind == "tab" {
                self.tabs.extend(about.session_id);
            }
            return Visibility::Shown;
        }
        if self.creating > 0 {
            self.deferred.push(copy(event));
            return Visibility::Deferred;
        }
        match about
            .session_id
            .filter(|_| event.method == EventAttachedToTarget::IDENTIFIER)
        {
            Some(session) => Visibility::Detach {
                session,
                target: info.target_id,
            },
            None => Visibility::Hidden,
        }
    }

    /// Whether the client may name a target.
    pub(super) fn may_name(&self, target: &str) -> bool {
        self.targets.contains(target)
    }

    /// The client asks for a new page.
    pub(super) fn creates(&mut self) {
        self.creating += 1;
    }

    /// Chromium has answered. Returns the deferred events, to be looked at again.
    pub(super) fn created(&mut self, target: Option<String>) -> Vec<Event> {
        self.creating = self.creating.saturating_sub(1);
        self.targets.extend(target);
        std::mem::take(&mut self.deferred)
    }

    /// The answer to `Target.getTargets`, without the targets of others.
    pub(super) fn filter(
        &self,
        answer: &RawValue,
        contexts: &HashSet<String>,
    ) -> Option<Box<RawValue>> {
        let All { mut target_infos } = json::read(answer.get()).ok()?;
        target_infos.retain(|info| {
            let info = json::read::<Info>(info.get());
            info.is_ok_and(|info| self.has(&info, contexts))
        });
        Some(raw(&serde_json::json!({"targetInfos": target_infos})))
    }

    fn has(&self, info: &Info, contexts: &HashSet<String>) -> bool {
        let opened = info
            .opener_id
            .as_ref()
            .is_some_and(|opener| self.targets.contains(opener));
        let made = info
            .browser_context_id
            .as_ref()
            .is_some_and(|context| contexts.contains(context));
        self.targets.contains(&info.target_id) || opened || made
    }
}

fn copy(event: &Event) -> Event {
    Event {
        session: event.session.clone(),
        method: event.method.clone(),
        params: event.params.clone(),
    }
}
