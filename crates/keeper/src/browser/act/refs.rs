//! Refs of snapshots.

use szk_page::act::NodeRef;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use crate::browser::view;
use crate::context::Keeper;

/// The node that a snapshot of this tab called `name`, if it is still what it was.
pub(super) async fn find(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    name: &str,
) -> Result<NodeRef, Failure> {
    let shared = keeper.views.of(running, tab);
    let known = shared.lock().await;
    let node = known
        .resolve(name)
        .await
        .map_err(|error| view::stale(&error))?;
    Ok(NodeRef {
        session: node.session,
        frame: node.frame,
        backend_node_id: node.backend_node_id,
    })
}
