//! Events of the browser that concern the shield.

use serde::Deserialize;
use szk_cdp::frames::Frame as Info;
use szk_cdp::own::EventConsoleMessageAdded;
use szk_cdp::protocol::page::{
    EventDocumentOpened, EventFileChooserOpened, EventFrameAttached, EventFrameDetached,
    EventFrameNavigated, EventFrameStoppedLoading, EventLifecycleEvent, EventScreencastFrame,
};
use szk_cdp::protocol::runtime::EventBindingCalled;
use szk_cdp::{Event, SessionId};

use super::Shield;
use super::act::Act;
use super::console::Said;
use super::realm::Kind;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    frame_id: String,
    parent_frame_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    frame_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Loaded {
    frame_id: String,
    /// Of a lifecycle event.
    name: Option<String>,
}

#[derive(Deserialize)]
struct Navigated {
    frame: Info,
}

/// Events of `Page` that come only on a specific request.
const ASKED: [&str; 2] = [
    EventScreencastFrame::IDENTIFIER,
    EventFileChooserOpened::IDENTIFIER,
];

impl Shield {
    /// What to do about an event; `None` means to pass it on.
    pub(crate) fn event(&mut self, event: &Event) -> Option<Vec<Act>> {
        let session = event.session.as_ref()?;
        let (domain, _) = event.method.split_once('.')?;
        match domain {
            "Page" => self.page(session, event),
            "Console" => self.console(session, event),
            "Runtime" if event.method == EventBindingCalled::IDENTIFIER => {
                self.called(session, event)
            }
            _ => None,
        }
    }

    fn page(&mut self, session: &SessionId, event: &Event) -> Option<Vec<Act>> {
        let realm = self.realms.get(session)?;
        if realm.kind != Kind::Frames || !realm.page.shield {
            return None;
        }
        let shown = realm.page.client || ASKED.contains(&&*event.method);
        let pass = shown.then_some(Act::Pass);
        let is_root = |frame: &str| realm.root == frame;
        let acts = match &*event.method {
            EventFrameAttached::IDENTIFIER => {
                let Attached {
                    frame_id: id,
                    parent_frame_id: parent_id,
                } = event.read().ok()?;
                self.begin(session, id, parent_id);
                pass.into_iter().collect()
            }
            EventFrameStoppedLoading::IDENTIFIER | EventLifecycleEvent::IDENTIFIER => {
                let Loaded { frame_id, name } = event.read().ok()?;
                let mut acts: Vec<_> = pass.into_iter().collect();
                if name.is_none_or(|name| name == "load") {
                    acts.extend(self.stays(session, &frame_id));
                }
                acts
            }
            EventFrameDetached::IDENTIFIER => {
                let Detached { frame_id } = event.read().ok()?;
                let mut acts = self.leave(session, &frame_id, true);
                acts.extend(pass);
                acts
            }
            EventFrameNavigated::IDENTIFIER => {
                let Navigated { frame } = event.read().ok()?;
                // Gone before the client learns about the new document, as in the browser.
                let mut acts = if is_root(&frame.id) {
                    self.clear(session)
                } else {
                    self.leave(session, &frame.id, false)
                };
                acts.extend(pass);
                acts.extend(self.arrive(session, frame, false));
                acts
            }
            EventDocumentOpened::IDENTIFIER => {
                let Navigated { frame } = event.read().ok()?;
                pass.into_iter()
                    .chain(self.arrive(session, frame, false))
                    .collect()
            }
            _ => pass.into_iter().collect(),
        };
        Some(acts)
    }

    fn console(&mut self, session: &SessionId, event: &Event) -> Option<Vec<Act>> {
        let realm = self.realms.get(session)?;
        if !realm.console.shield || event.method != EventConsoleMessageAdded::IDENTIFIER {
            return None;
        }
        let mut acts: Vec<_> = realm
            .console
            .client
            .then_some(Act::Pass)
            .into_iter()
            .collect();
        let said = event.read::<Said>().ok();
        acts.extend(said.and_then(|said| self.said(session, &said)));
        Some(acts)
    }
}
