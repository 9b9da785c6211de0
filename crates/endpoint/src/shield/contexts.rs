//! Announces contexts to the client.

use serde_json::json;
use szk_cdp::SessionId;
use szk_cdp::protocol::runtime::{EventExecutionContextCreated, EventExecutionContextDestroyed};

use super::Shield;
use super::act::Act;
use super::bindings::bind;
use super::realm::{Context, Kind};
use crate::actions::Named;

impl Shield {
    /// A frame has this context; announces it to the client unless the client knows it.
    pub(super) fn announce(
        &mut self,
        session: &SessionId,
        frame_id: &str,
        id: i64,
        world: &str,
    ) -> Vec<Act> {
        if world == self.names.world {
            return self.listen_in(session, id);
        }
        let unique = format!("-{}.{id}", self.next());
        let Some(realm) = self.realms.get_mut(session).filter(|realm| realm.enabled) else {
            return Vec::new();
        };
        let Some(frame) = realm.frames.get_mut(frame_id) else {
            return Vec::new();
        };
        let mut acts = Vec::new();
        if let Some(at) = frame.contexts.iter().position(|known| known.world == world) {
            if frame.contexts[at].id == id {
                return acts;
            }
            // `document.open` may have replaced it.
            let old = frame.contexts.remove(at);
            let params =
                json!({"executionContextId": old.id, "executionContextUniqueId": old.unique});
            acts.push(Act::tell(
                session,
                EventExecutionContextDestroyed::IDENTIFIER,
                &params,
            ));
        }
        for binding in &realm.bindings {
            acts.extend(bind(session, binding, world, id));
        }
        let mut context =
            json!({"id": id, "origin": frame.origin, "name": world, "uniqueId": unique});
        if realm.kind == Kind::Frames {
            let kind = if world.is_empty() {
                "default"
            } else {
                "isolated"
            };
            context["auxData"] =
                json!({"isDefault": world.is_empty(), "type": kind, "frameId": frame_id});
        }
        acts.push(Act::tell(
            session,
            EventExecutionContextCreated::IDENTIFIER,
            &json!({"context": context}),
        ));
        let main = world.is_empty() && frame_id == realm.root;
        frame.contexts.push(Context {
            id,
            unique,
            world: world.to_owned(),
        });
        if main {
            acts.extend(self.flush(session));
        }
        acts
    }
}

impl Shield {
    /// Whether a world of a session is known to be isolated.
    pub(crate) fn is_isolated(&self, session: &SessionId, named: &Named) -> bool {
        let Some(realm) = self.realms.get(session) else {
            return false;
        };
        let id = match named {
            Named::Context(id) => Some(*id),
            Named::Unique(name) => realm.by_unique(name),
            Named::Object(id) => context_of(id),
        };
        id.is_some_and(|id| realm.is_isolated(id))
    }
}

/// The context from the id of an object: Chromium writes `isolate.context.number`.
pub(super) fn context_of(object_id: &str) -> Option<i64> {
    let mut parts = object_id.rsplitn(3, '.').skip(1);
    parts.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_read_from_an_objects_id() {
        assert_eq!(context_of("5663534621724959099.3.1"), Some(3));
        assert_eq!(context_of("-2729967814959206545.12.7"), Some(12));
        assert_eq!(context_of("x"), None);
    }
}
