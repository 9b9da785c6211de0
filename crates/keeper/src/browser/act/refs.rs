//! Refs of snapshots.

use szk_page::act::NodeRef;
use szk_page::snapshot::Stale;
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::ActInput;

use crate::browser::view;
use crate::context::Keeper;

/// The node that a snapshot of this tab called `name`, if it is still what it was; who waits takes it as
/// it has become.
pub(super) async fn find(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    name: &str,
    waits: bool,
) -> Result<NodeRef, Stale> {
    let shared = keeper.views.of(running, tab);
    let known = shared.lock().await;
    let node = if waits {
        known.resolve_changed(name).await?
    } else {
        known.resolve(name).await?
    };
    Ok(NodeRef {
        session: node.session,
        frame: node.frame,
        backend_node_id: node.backend_node_id,
    })
}

/// Why the refs of a call are no good any more: the first that is not says what it was.
pub(super) async fn ended(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    input: &ActInput,
) -> Option<Failure> {
    let shared = keeper.views.of(running, tab);
    let known = shared.lock().await;
    for name in input.r#ref.iter().chain(&input.to) {
        match known.resolve_changed(name).await {
            Ok(_) | Err(Stale::Unknown(_)) => {}
            Err(error) => return Some(view::stale(&error)),
        }
    }
    None
}
