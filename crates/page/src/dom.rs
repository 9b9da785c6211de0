//! What the browser tells of elements, where a script in the page cannot see it.

use serde::Deserialize;
use szk_cdp::protocol::dom::{DescribeNodeParams, GetBoxModelParams};
use szk_cdp::protocol::runtime::RemoteObjectId;

/// Asks for an element, of which there is a handle; the answer is [`Described`].
pub(crate) fn describe(handle: &str) -> DescribeNodeParams {
    DescribeNodeParams {
        object_id: Some(RemoteObjectId::new(handle)),
        ..DescribeNodeParams::default()
    }
}

/// Asks for the box of an element; the answer is [`Boxes`].
pub(crate) fn box_of(handle: String) -> GetBoxModelParams {
    GetBoxModelParams {
        object_id: Some(RemoteObjectId::new(handle)),
        ..GetBoxModelParams::default()
    }
}

/// The answer to `DOM.getFrameOwner`: the element that holds a frame.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOwner {
    pub(crate) backend_node_id: i64,
}

/// The answer to `DOM.getBoxModel`.
#[derive(Deserialize)]
pub(crate) struct Boxes {
    model: Model,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Model {
    content: Vec<f64>,
}

/// The answer to `DOM.describeNode`.
#[derive(Deserialize)]
pub(crate) struct Described {
    pub(crate) node: Node,
}

/// An element.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) backend_node_id: i64,
    /// The frame that an `iframe` holds.
    pub(crate) frame_id: Option<String>,
    shadow_roots: Vec<ShadowRoot>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ShadowRoot {
    backend_node_id: i64,
    shadow_root_type: String,
}

impl Boxes {
    /// Four corners of the element's content box, clockwise from the first. They are relative to the
    /// outermost frame of the same process and include transforms.
    pub(crate) fn content(&self) -> &[f64] {
        &self.model.content
    }
}

impl Node {
    /// The closed shadow tree of the element, if there is one.
    pub(crate) fn closed_tree(&self) -> Option<i64> {
        let mut trees = self.shadow_roots.iter();
        let closed = trees.find(|tree| tree.shadow_root_type == "closed")?;
        Some(closed.backend_node_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(node: &str, closed: Option<i64>) {
        let described: Described = serde_json::from_str(node).unwrap();
        assert_eq!(described.node.closed_tree(), closed, "{node}");
    }

    #[test]
    fn only_closed_trees_have_to_be_shown() {
        check(r#"{"node": {"backendNodeId": 1}}"#, None);
        check(
            r#"{"node": {"shadowRoots": [{"backendNodeId": 2, "shadowRootType": "open"}]}}"#,
            None,
        );
        check(
            r#"{"node": {"shadowRoots": [{"backendNodeId": 2, "shadowRootType": "user-agent"},
                {"backendNodeId": 3, "shadowRootType": "closed"}]}}"#,
            Some(3),
        );
    }
}
