//! Commands of the client that concern the shield.

use szk_cdp::SessionId;
use szk_cdp::frames::Frame as Info;
use szk_cdp::own::EnableConsoleParams;
use szk_cdp::protocol::page::{
    EnableParams as EnablePageParams, GetFrameTreeParams, RemoveScriptToEvaluateOnNewDocumentParams,
};

use super::Shield;
use super::act::{Act, Ask, Caller, Step};
use super::bindings::stand_in;
use super::realm::{Binding, Kind, Realm, World};

/// A domain whose events the shield needs as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Domain {
    Page,
    Console,
}

impl Shield {
    /// `Runtime.enable`: answered once the existing contexts are announced. A page that `opens` is a
    /// popup that has not navigated yet.
    pub(crate) fn enable(
        &mut self,
        session: &SessionId,
        kind: Kind,
        target: &str,
        opens: bool,
        caller: Caller,
    ) -> Vec<Act> {
        let realm = self.realm(session, kind, target);
        if realm.enabled {
            return vec![Act::Answer(caller)];
        }
        realm.enabled = true;
        // The question asked here, and those that follow from its answer.
        realm.starting = Some((caller, 1));
        let mut acts = Vec::new();
        if kind == Kind::Worker {
            let info = Info {
                id: target.to_owned(),
                ..Info::default()
            };
            // Counted once, by the line above.
            acts.extend(self.ask(session, info, false));
        } else {
            if !std::mem::replace(&mut realm.page.shield, true) && !realm.page.client {
                let enable = EnablePageParams::default();
                acts.push(Ask::act(session, &enable, Step::Nothing));
            }
            // A script that waits for a popup's documents would create the context of its first one
            // before it navigates. A document of the same origin inherits that context, without what
            // Chromium adds to new ones (`chrome.app`), so a page could tell.
            if !opens {
                acts.extend(self.listen(session));
            }
            acts.push(Ask::act(
                session,
                &GetFrameTreeParams::default(),
                Step::Tree,
            ));
        }
        // Last: earlier messages are reported in contexts that are known by then.
        if let Some(realm) = self.realms.get_mut(session)
            && !std::mem::replace(&mut realm.console.shield, true)
        {
            acts.push(Ask::act(session, &EnableConsoleParams {}, Step::Nothing));
        }
        acts
    }

    /// A page was resumed before it navigated.
    pub(crate) fn resumed(&mut self, session: &SessionId) -> Vec<Act> {
        let realm = self.realms.get(session);
        match realm.is_some_and(|realm| realm.enabled && realm.kind == Kind::Frames) {
            true => self.listen(session),
            false => Vec::new(),
        }
    }

    /// `Runtime.disable`: stops all reports.
    pub(crate) fn disable(&mut self, session: &SessionId, caller: Caller) -> Vec<Act> {
        let mut acts = Vec::new();
        if let Some(realm) = self.realms.get_mut(session) {
            realm.enabled = false;
            realm.messages.clear();
            for frame in realm.frames.values_mut() {
                frame.contexts.clear();
            }
            acts.extend(realm.starting.take().map(|(caller, _)| Act::Answer(caller)));
        }
        acts.push(Act::Answer(caller));
        acts
    }

    /// Whether the client wants the events of a domain. Returns whether to tell the browser: what the
    /// shield needs stays enabled.
    pub(crate) fn wants(
        &mut self,
        session: &SessionId,
        kind: Kind,
        target: &str,
        domain: Domain,
        on: bool,
    ) -> bool {
        let realm = self.realm(session, kind, target);
        let domain = match domain {
            Domain::Page => &mut realm.page,
            Domain::Console => &mut realm.console,
        };
        domain.client = on;
        on || !domain.shield
    }

    /// Adds a world to every new document.
    pub(crate) fn adds_world(
        &mut self,
        session: &SessionId,
        kind: Kind,
        target: &str,
        name: String,
        script: String,
    ) {
        let realm = self.realm(session, kind, target);
        if !name.is_empty() {
            realm.worlds.push(World {
                name,
                script: Some(script),
            });
        }
    }

    /// The script that added a world is removed.
    pub(crate) fn removes_script(&mut self, session: &SessionId, script: &str) {
        if let Some(realm) = self.realms.get_mut(session) {
            realm
                .worlds
                .retain(|world| world.script.as_deref() != Some(script));
        }
    }

    /// The client created a world in a frame: it learns about the context before the answer.
    pub(crate) fn made_world(
        &mut self,
        session: &SessionId,
        frame: &str,
        world: &str,
        context: i64,
    ) -> Vec<Act> {
        if world.is_empty() {
            // Chromium announces no context twice, so the shield must not either.
            return Vec::new();
        }
        self.announce(session, frame, context, world)
    }

    /// Adds a function for pages. Chromium adds it to existing contexts, but to new ones only while
    /// `Runtime` is enabled; `bindings` does that.
    pub(crate) fn binds(
        &mut self,
        session: &SessionId,
        kind: Kind,
        target: &str,
        name: String,
        world: Option<String>,
    ) -> Option<Act> {
        let bindings = &mut self.realm(session, kind, target).bindings;
        let known = |known: &Binding| known.name == name && known.world == world;
        if bindings.iter().any(known) {
            return None;
        }
        let act = (world.is_none() && kind == Kind::Frames).then(|| stand_in(session, &name));
        bindings.push(Binding {
            name,
            world,
            script: None,
        });
        act
    }

    /// Removes it.
    pub(crate) fn unbinds(&mut self, session: &SessionId, name: &str) -> Vec<Act> {
        let Some(realm) = self.realms.get_mut(session) else {
            return Vec::new();
        };
        let gone = realm
            .bindings
            .extract_if(.., |binding| binding.name == name);
        gone.filter_map(|binding| binding.script)
            .map(|script| {
                let remove = RemoveScriptToEvaluateOnNewDocumentParams::new(script);
                Ask::act(session, &remove, Step::Nothing)
            })
            .collect()
    }

    fn realm(&mut self, session: &SessionId, kind: Kind, target: &str) -> &mut Realm {
        let new = || Realm::new(kind, target.to_owned());
        self.realms.entry(session.clone()).or_insert_with(new)
    }
}
