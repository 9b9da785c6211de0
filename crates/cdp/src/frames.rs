//! The frames of a page and worlds in them, as several crates need them.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::protocol::page::{CreateIsolatedWorldParams, GetFrameTreeParams};
use crate::{CallError, Connection, SessionId};

/// The answer to `Page.getFrameTree`: the frames that a session reaches. An out-of-process frame is in
/// the tree of its own session.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameTree {
    frame_tree: Branch,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Branch {
    frame: Frame,
    #[serde(default)]
    child_frames: Vec<Branch>,
}

/// A frame and its document, as `Page.getFrameTree` and `Page.frameNavigated` report them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// Stays the same for the life of the frame.
    pub id: String,
    /// The parent frame.
    #[serde(default)]
    pub parent_id: Option<String>,
    /// Differs with every document.
    #[serde(default)]
    pub loader_id: String,
    /// The document's address, without its fragment.
    #[serde(default)]
    pub url: String,
    /// The document's origin.
    #[serde(default)]
    pub security_origin: String,
}

impl FrameTree {
    /// Queries the frame tree.
    pub async fn of(connection: &Connection, session: &SessionId) -> Result<Self, CallError> {
        let params = GetFrameTreeParams::default();
        connection.ask(Some(session), &params).await
    }

    /// The outermost frame.
    pub fn outermost(&self) -> &Frame {
        &self.frame_tree.frame
    }

    /// All frames, each after its parent.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        let mut left = vec![&self.frame_tree];
        std::iter::from_fn(move || {
            let branch = left.pop()?;
            left.extend(branch.child_frames.iter().rev());
            Some(&branch.frame)
        })
    }

    /// Whether a frame is among them.
    pub fn contains(&self, frame: &str) -> bool {
        self.iter().any(|known| known.id == frame)
    }

    /// The parent of a frame.
    pub fn parent_of(&self, frame: &str) -> Option<&str> {
        let known = self.iter().find(|known| known.id == frame)?;
        known.parent_id.as_deref()
    }
}

impl Frame {
    /// Whether it has no real document yet: a popup that was just opened and is navigating, at least to
    /// `about:blank`. `Page.frameNavigated` reports when it has one. A world made before that would stay
    /// in the document that comes. Chromium says `:` of it, or nothing (since r1651606, in version 156); of
    /// a frame without an address it also says nothing, and that one stays where it is.
    pub fn is_nowhere(&self) -> bool {
        self.url == ":" || (self.url.is_empty() && self.parent_id.is_none())
    }
}

/// The answer to `Page.createIsolatedWorld`: a world that sees the document, but that the page's own
/// scripts cannot see.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolatedWorld {
    /// Its id in the frame's process; it ends with the document.
    pub execution_context_id: i64,
}

impl IsolatedWorld {
    /// Creates a world in a frame. In the same document, the same name is the same world.
    pub async fn make(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        Self::ask(connection, session, frame, name, None).await
    }

    /// Creates one that can also reach into documents of other origins.
    pub async fn make_universal(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        Self::ask(connection, session, frame, name, Some(true)).await
    }

    async fn ask(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
        universal: Option<bool>,
    ) -> Result<Self, CallError> {
        let params = CreateIsolatedWorldParams {
            world_name: Some(name.to_owned()),
            // Chromium's own spelling.
            grant_univeral_access: universal,
            ..CreateIsolatedWorldParams::new(frame.to_owned())
        };
        connection.ask(Some(session), &params).await
    }
}

/// A random name for a world, so that no page can look for it.
pub fn random_name() -> String {
    // Every `RandomState` has keys of its own, from the system.
    let [one, two] = [(), ()].map(|()| RandomState::new().build_hasher().finish());
    format!("w{one:016x}{two:016x}")
}

/// The name of the isolated world that all scripts of ours share in a document: making another one takes
/// a document several milliseconds, and its successor in the frame, for which Chromium makes it again.
/// A different one in every process, so that nothing can look for it.
pub fn our_world() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(random_name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Script;

    #[tokio::test]
    async fn a_tree_is_asked_for_and_knows_its_frames() {
        let frame = |id: &str, parent: &str| json!({"id": id, "parentId": parent, "url": "x:"});
        let tree = json!({"frameTree": {
            "frame": {"id": "A", "loaderId": "L", "url": "x:"},
            "childFrames": [
                {"frame": frame("B", "A"), "childFrames": [{"frame": frame("C", "B")}]},
                {"frame": frame("D", "A")},
            ],
        }});
        let script = Script::new().answer("Page.getFrameTree", tree);
        let (connection, _events, peer) = script.start();
        let tree = FrameTree::of(&connection, &"S".into()).await.unwrap();
        assert_eq!(peer.calls()[0].session.as_deref(), Some("S"));
        let ids: Vec<&str> = tree.iter().map(|frame| frame.id.as_str()).collect();
        assert_eq!(ids, ["A", "B", "C", "D"]);
        assert_eq!(tree.outermost().loader_id, "L");
        assert!(!tree.outermost().is_nowhere());
        assert!(tree.contains("C") && !tree.contains("E"));
        let parents = ["A", "C", "D", "E"].map(|frame| tree.parent_of(frame));
        assert_eq!(parents, [None, Some("B"), Some("A"), None]);
    }

    #[test]
    fn a_popup_that_was_just_opened_is_nowhere() {
        let is_nowhere = |frame: serde_json::Value| {
            let frame: Frame = serde_json::from_value(frame).unwrap();
            frame.is_nowhere()
        };
        // Before r1651606, and since then.
        assert!(is_nowhere(json!({"id": "A", "url": ":"})));
        assert!(is_nowhere(json!({"id": "A", "url": ""})));
        assert!(!is_nowhere(json!({"id": "A", "url": "about:blank"})));
        let without_address = json!({"id": "B", "parentId": "A", "url": ""});
        assert!(!is_nowhere(without_address));
    }

    #[tokio::test]
    async fn only_a_universal_world_asks_for_other_origins() {
        let made = json!({"executionContextId": 7});
        let script = Script::new().answer("Page.createIsolatedWorld", made);
        let (connection, _events, peer) = script.start();
        let session = "S".into();
        let plain = IsolatedWorld::make(&connection, &session, "F", "w").await;
        let universal = IsolatedWorld::make_universal(&connection, &session, "F", "w").await;
        assert_eq!(plain.unwrap().execution_context_id, 7);
        assert_eq!(universal.unwrap().execution_context_id, 7);
        let calls = peer.calls();
        assert_eq!(calls[0].params, json!({"frameId": "F", "worldName": "w"}));
        assert_eq!(
            calls[1].params,
            json!({"frameId": "F", "worldName": "w", "grantUniveralAccess": true})
        );
    }

    #[test]
    fn no_name_comes_twice() {
        assert_ne!(random_name(), random_name());
    }
}
