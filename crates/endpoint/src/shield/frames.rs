//! Tracks frames, and asks about new documents.

use std::collections::HashSet;

use serde_json::json;
use szk_cdp::SessionId;
use szk_cdp::frames::Frame as Info;
use szk_cdp::protocol::dom::GetFrameOwnerParams;
use szk_cdp::protocol::page::CreateIsolatedWorldParams;
use szk_cdp::protocol::runtime::{
    EvaluateParams, EventExecutionContextDestroyed, EventExecutionContextsCleared,
    SerializationOptions, SerializationOptionsSerialization,
};

use super::Shield;
use super::act::{Act, Ask, Frame as Visit, Of, Step};
use super::realm::{Frame, Kind};

impl Shield {
    /// A frame is new, and does not have the document that it is for yet. Asking for its contexts now
    /// would create them in the empty document that it begins with, and run the client's scripts there
    /// as well. `Page.frameNavigated` follows, at once if the frame has no address.
    pub(super) fn begin(&mut self, session: &SessionId, id: String, parent: Option<String>) {
        let visit = self.next();
        if let Some(realm) = self.realms.get_mut(session) {
            let frame = realm.frames.entry(id).or_default();
            frame.parent = parent.or(frame.parent.take());
            frame.visit = visit;
            frame.asked = false;
        }
    }

    /// A frame has loaded: asks for its contexts if it stayed in the document that it began with. Its
    /// address may be a download, a script, or answered with nothing.
    pub(super) fn stays(&mut self, session: &SessionId, id: &str) -> Vec<Act> {
        let realm = self.realms.get(session);
        match realm.and_then(|realm| realm.frames.get(id)) {
            Some(frame) if !frame.asked => {
                let info = Info {
                    id: id.to_owned(),
                    ..Info::default()
                };
                self.ask(session, info, false)
            }
            _ => Vec::new(),
        }
    }

    /// A frame has a new document: asks for its contexts.
    pub(super) fn arrive(&mut self, session: &SessionId, info: Info, first: bool) -> Vec<Act> {
        // A context that is created while a popup is held goes to its next document, without what Chromium
        // adds to new ones (`chrome.app`), so a page could tell.
        if info.is_nowhere() {
            self.begin(session, info.id, info.parent_id);
            return Vec::new();
        }
        self.ask(session, info, first)
    }

    /// Asks for the contexts of a document, which creates them.
    pub(super) fn ask(&mut self, session: &SessionId, info: Info, first: bool) -> Vec<Act> {
        let visit = self.next();
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        let frame = realm.frames.entry(info.id.clone()).or_default();
        frame.parent = info.parent_id.or(frame.parent.take());
        frame.origin = info.security_origin;
        frame.visit = visit;
        if !realm.enabled {
            return Vec::new();
        }
        frame.asked = true;
        let at = Visit {
            id: info.id,
            visit,
            first,
        };
        let mut acts = Vec::new();
        acts.push(if realm.kind == Kind::Worker {
            own(session, Step::Worker)
        } else if at.id == realm.root {
            own(session, Step::Frame(at.clone(), Of::Main))
        } else {
            let owner = GetFrameOwnerParams::new(at.id.clone());
            Ask::act(session, &owner, Step::Frame(at.clone(), Of::Owner))
        });
        for world in &realm.worlds {
            let create = CreateIsolatedWorldParams {
                world_name: Some(world.name.clone()),
                // Chromium's own spelling.
                grant_univeral_access: Some(true),
                ..CreateIsolatedWorldParams::new(at.id.clone())
            };
            let step = Step::Frame(at.clone(), Of::World(world.name.clone()));
            acts.push(Ask::act(session, &create, step));
        }
        if first && let Some((_, left)) = &mut realm.starting {
            *left += acts.len();
        }
        acts
    }

    /// A frame left its document, with the frames in it: reports the contexts that are gone.
    pub(super) fn leave(&mut self, session: &SessionId, frame: &str, itself: bool) -> Vec<Act> {
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        let mut gone = HashSet::from([frame.to_owned()]);
        // Parents are known before their children, but are in any order here.
        loop {
            let below = realm.frames.iter().filter(|(id, frame)| {
                frame
                    .parent
                    .as_ref()
                    .is_some_and(|parent| gone.contains(parent))
                    && !gone.contains(*id)
            });
            let below: Vec<_> = below.map(|(id, _)| id.clone()).collect();
            if below.is_empty() {
                break;
            }
            gone.extend(below);
        }
        let mut acts = Vec::new();
        for id in gone {
            let Some(Frame { contexts, .. }) = realm.frames.get_mut(&id) else {
                continue;
            };
            for context in std::mem::take(contexts) {
                let params = json!({"executionContextId": context.id, "executionContextUniqueId": context.unique});
                acts.push(Act::tell(
                    session,
                    EventExecutionContextDestroyed::IDENTIFIER,
                    &params,
                ));
            }
            if itself || id != frame {
                realm.frames.remove(&id);
            }
        }
        if realm.enabled { acts } else { Vec::new() }
    }

    /// The whole session has a new document.
    pub(super) fn clear(&mut self, session: &SessionId) -> Vec<Act> {
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        realm.frames.clear();
        realm.messages.clear();
        if !realm.enabled {
            return Vec::new();
        }
        vec![Act::tell(
            session,
            EventExecutionContextsCleared::IDENTIFIER,
            &json!({}),
        )]
    }
}

/// Asks for the id of the realm at a session's root. Only for the id, because pages can detect that an
/// object is described.
fn own(session: &SessionId, step: Step) -> Act {
    let id_only = SerializationOptions::new(SerializationOptionsSerialization::IdOnly);
    let evaluate = EvaluateParams {
        serialization_options: Some(id_only),
        silent: Some(true),
        ..EvaluateParams::new("globalThis")
    };
    Ask::act(session, &evaluate, step)
}
