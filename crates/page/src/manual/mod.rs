//! What a person does in pages, for recordings: input that the browser itself made, seen by listeners in
//! an isolated world of each document.
//!
//! The page cannot reach that world, and nothing in it prevents or changes anything. A binding brings out what was seen, without
//! `Runtime.enable`; until its way out is open, a document keeps it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use serde::Deserialize;
use szk_cdp::frames::{Frame, FrameTree};
use szk_cdp::protocol::page::{
    AddScriptToEvaluateOnNewDocumentParams, EventFrameNavigated, EventNavigatedWithinDocument,
    GetNavigationHistoryParams,
};
use szk_cdp::protocol::runtime::{EventBindingCalled, RemoveBindingParams};
use szk_cdp::world::World;
use szk_cdp::{Connection, Event, Request, SessionId};
use szk_recipes::{Distance, Identity, Point};

use crate::snapshot::WATCH;

/// Names that no page can guess.
#[derive(Debug)]
pub struct Names {
    world: String,
    binding: String,
}

/// Something that a person did. It may hold a secret, so it has no `Debug`.
#[derive(Deserialize)]
pub struct Done {
    /// What, such as `click`.
    pub act: String,
    /// The element.
    pub on: Identity,
    /// Where a drag ended.
    #[serde(default)]
    pub to: Option<Identity>,
    /// The point of the element, if it is a drawing.
    #[serde(default)]
    pub point: Option<Point>,
    /// How far it was dragged, if it ended at no element.
    #[serde(default)]
    pub by: Option<Distance>,
    /// When, in milliseconds since 1970.
    pub at: f64,
    /// Text, key or option.
    #[serde(default)]
    pub value: Option<String>,
    /// Whether the field hides its text: the value is only for hiding it elsewhere.
    #[serde(default)]
    pub secret: bool,
    /// Whether a click only put the focus into a text field.
    #[serde(default)]
    pub field: bool,
}

/// Where the page of a session went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Went {
    /// The address.
    pub url: String,
    /// Whether it is a new document.
    pub document: bool,
}

impl Names {
    /// Fresh random names.
    #[must_use]
    pub fn random() -> Self {
        // Every `RandomState` has keys of its own, from the system.
        let name = || format!("_{:016x}", RandomState::new().build_hasher().finish());
        Self {
            world: name(),
            binding: name(),
        }
    }

    /// The script for each new document.
    #[must_use]
    pub fn script(&self) -> Request {
        Request::of(&AddScriptToEvaluateOnNewDocumentParams {
            world_name: Some(self.world.clone()),
            ..AddScriptToEvaluateOnNewDocumentParams::new(self.source())
        })
    }

    fn source(&self) -> String {
        WATCH.replace("BINDING", &self.binding)
    }

    /// What an event tells of a person.
    #[must_use]
    pub fn done(&self, event: &Event) -> Option<Done> {
        #[derive(Deserialize)]
        struct Called {
            name: String,
            payload: String,
        }
        if event.method != EventBindingCalled::IDENTIFIER {
            return None;
        }
        let called: Called = event.read().ok()?;
        let done = (called.name == self.binding).then_some(called.payload)?;
        serde_json::from_str(&done).ok()
    }

    /// Opens the way out of a document, which has the script already if it is a new one.
    pub async fn open(&self, connection: &Connection, session: &SessionId, frame: &str) {
        let Some(way) = self.way(connection, session, frame).await else {
            return;
        };
        drop(
            way.evaluate(format!("globalThis.{}_flush?.()", self.binding))
                .await,
        );
    }

    /// Does so in all documents that a session has now, which may lack the script.
    pub async fn open_all(&self, connection: &Connection, session: &SessionId) {
        for frame in frames(connection, session).await {
            let Some(way) = self.way(connection, session, &frame).await else {
                continue;
            };
            let script = format!("{};{}_flush()", self.source(), self.binding);
            drop(way.evaluate(script).await);
        }
    }

    /// Ends it in all documents of a session. A field that is still being written in is told first.
    pub async fn finish(&self, connection: &Connection, session: &SessionId) {
        for frame in frames(connection, session).await {
            let world = World::make(connection, session, &frame, &self.world).await;
            if let Ok(world) = world {
                let end = format!("globalThis.{}_end?.()", self.binding);
                drop(world.evaluate(end).await);
            }
        }
        let params = RemoveBindingParams::new(self.binding.as_str());
        connection.tell(Some(session), &params);
    }

    async fn way(
        &self,
        connection: &Connection,
        session: &SessionId,
        frame: &str,
    ) -> Option<World> {
        let world = World::make(connection, session, frame, &self.world)
            .await
            .ok()?;
        world.bind(&self.binding);
        Some(world)
    }
}

async fn frames(connection: &Connection, session: &SessionId) -> Vec<String> {
    let tree = FrameTree::of(connection, session).await;
    let frames = tree.iter().flat_map(FrameTree::iter);
    let frames = frames.filter(|frame| !frame.is_nowhere());
    frames.map(|frame| frame.id.clone()).collect()
}

/// Where an event says that the page of its session went; not for frames in it.
#[must_use]
pub fn went(event: &Event, main: &str) -> Option<Went> {
    #[derive(Deserialize)]
    struct Navigated {
        frame: Frame,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Within {
        frame_id: String,
        url: String,
    }
    match event.method.as_str() {
        EventFrameNavigated::IDENTIFIER => {
            let Navigated { frame } = event.read().ok()?;
            (frame.id == main && !frame.is_nowhere()).then_some(Went {
                url: frame.url,
                document: true,
            })
        }
        EventNavigatedWithinDocument::IDENTIFIER => {
            let within: Within = event.read().ok()?;
            (within.frame_id == main).then_some(Went {
                url: within.url,
                document: false,
            })
        }
        _ => None,
    }
}

/// The address that was typed, or chosen among bookmarks, for the page of a session to be where it is.
pub async fn typed(connection: &Connection, session: &SessionId) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct History {
        current_index: usize,
        entries: Vec<Entry>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Entry {
        user_typed_url: String,
        url: String,
        transition_type: String,
    }
    let asked = GetNavigationHistoryParams::default();
    let history: History = connection.ask(Some(session), &asked).await.ok()?;
    let entry = history.entries.into_iter().nth(history.current_index)?;
    let by_hand = [
        "typed",
        "address_bar",
        "auto_bookmark",
        "generated",
        "keyword",
    ];
    let web = entry.url.starts_with("http");
    let typed = match entry.user_typed_url.starts_with("http") {
        true => entry.user_typed_url,
        false => entry.url,
    };
    (web && by_hand.contains(&entry.transition_type.as_str())).then_some(typed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scripts_have_names_of_their_own() {
        let (one, two) = (Names::random(), Names::random());
        assert_ne!((&one.world, &one.binding), (&two.world, &two.binding));
        assert!(!one.source().contains("BINDING"));
        assert!(one.source().contains(&one.binding));
    }

    #[test]
    fn what_was_done_is_read() {
        let said = json!({"act": "fill", "on": {"role": "textbox", "type": "password"}, "at": 1.5, "secret": true});
        let done: Done = serde_json::from_value(said).unwrap();
        assert_eq!((done.on.kind.as_str(), done.secret), ("password", true));
        assert_eq!(done.value, None);
    }
}
