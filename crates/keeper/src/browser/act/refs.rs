//! Refs of snapshots.

use szk_page::act::NodeRef;
use szk_page::snapshot::{GoneOn, Stale};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::ActInput;

use crate::browser::view;
use crate::context::Keeper;

/// Most refs to list that go on with new nodes.
const SHOWN: usize = 10;

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
    let mut known = shared.lock().await;
    let found = match waits {
        true => known.resolve_changed(name).await,
        false => known.resolve(name).await,
    };
    let node = match found {
        // A framework may have put the same thing there again.
        Err(Stale::Gone { .. }) if !waits => {
            let page = view::page(running, tab);
            if let Err(error) = known.look_again(&page).await {
                tracing::debug!(%error, "cannot look for the heir of a ref");
            }
            known.resolve(name).await?
        }
        // What is waited for may be that something goes: only its own document is looked for.
        Err(Stale::Gone { .. }) => {
            let page = view::page(running, tab);
            if let Err(error) = known.meet_again(&page).await {
                tracing::debug!(%error, "cannot find the document of a ref");
            }
            known.resolve_changed(name).await?
        }
        found => found?,
    };
    Ok(NodeRef {
        session: node.session,
        frame: node.frame,
        backend_node_id: node.backend_node_id,
        words: None,
    })
}

/// Which refs go on with new nodes, if there are any.
pub(super) async fn inherited(keeper: &Keeper, running: &Running, tab: &Tab) -> Option<String> {
    let shared = keeper.views.of(running, tab);
    let GoneOn { refs, anew } = shared.lock().await.inherited();
    let shown = refs.len().min(SHOWN);
    let more = match refs.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!refs.is_empty()).then(|| {
        let refs = refs[..shown].join(", ");
        let why = match anew {
            true => {
                "the document was loaded anew, and has elements of the same role, name and place"
            }
            false => "the page replaced nodes by new ones of the same role, name and place",
        };
        format!("{why}: {refs}{more} go on with them")
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
