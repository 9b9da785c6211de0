//! The frames of a page and worlds in them: what several crates want of the same answers.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use serde::Deserialize;

use crate::protocol::page::{CreateIsolatedWorldParams, GetFrameTreeParams};
use crate::{CallError, Connection, SessionId};

/// The answer to `Page.getFrameTree`: the frames that a session reaches. One with a process of its own
/// is in the tree of its own session.
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

/// A frame and its document, as `Page.getFrameTree` and `Page.frameNavigated` tell them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    /// The same for as long as the frame is there.
    pub id: String,
    /// The frame around it.
    #[serde(default)]
    pub parent_id: Option<String>,
    /// Another one with every document.
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
    /// Asks for it.
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

    /// The frame around one of them.
    pub fn parent_of(&self, frame: &str) -> Option<&str> {
        let known = self.iter().find(|known| known.id == frame)?;
        known.parent_id.as_deref()
    }
}

impl Frame {
    /// Whether its document is none yet: that of a popup that was opened just now and is going somewhere,
    /// to `about:blank` at least. `Page.frameNavigated` tells when it is there. A world that is made
    /// before that would stay in the document that comes.
    pub fn is_nowhere(&self) -> bool {
        self.url == ":"
    }
}

/// The answer to `Page.createIsolatedWorld`: a world that sees the document, and that the page's own
/// scripts cannot see.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IsolatedWorld {
    /// Its number in the frame's process; it ends with the document.
    pub execution_context_id: i64,
}

impl IsolatedWorld {
    /// Makes a world in a frame. The same name in the same document is the same world.
    pub async fn make(
        connection: &Connection,
        session: &SessionId,
        frame: &str,
        name: &str,
    ) -> Result<Self, CallError> {
        Self::ask(connection, session, frame, name, None).await
    }

    /// Makes one that also reaches into documents of other origins.
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
            // Chromium spells it like this.
            grant_univeral_access: universal,
            ..CreateIsolatedWorldParams::new(frame.to_owned())
        };
        connection.ask(Some(session), &params).await
    }
}

/// A name for a world that nobody has thought of before, so that no page can look for it.
pub fn random_name() -> String {
    // Every `RandomState` has keys of its own, from the system.
    let [one, two] = [(), ()].map(|()| RandomState::new().build_hasher().finish());
    format!("w{one:016x}{two:016x}")
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
            "frame": {"id": "A", "loaderId": "L", "url": ":"},
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
        assert!(tree.outermost().is_nowhere());
        assert!(tree.contains("C") && !tree.contains("E"));
        let parents = ["A", "C", "D", "E"].map(|frame| tree.parent_of(frame));
        assert_eq!(parents, [None, Some("B"), Some("A"), None]);
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
