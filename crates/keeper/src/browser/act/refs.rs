//! Refs of snapshots.

use std::time::Duration;

use szk_page::act::{ActError, NodeRef};
use szk_page::document;
use szk_page::snapshot::{GoneOn, Stale};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;
use szk_tools::browser::ActInput;
use tokio::time::Instant;

use super::trouble;
use crate::browser::view;
use crate::context::Keeper;

/// How long an element may take to be drawn again after its page was loaded anew.
const APPEARS: Duration = Duration::from_millis(1500);
/// Milliseconds to wait for a change between two looks, and without another one after it.
const CHANGES: u32 = 400;
const QUIET: u32 = 100;
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
            let until = Instant::now() + APPEARS;
            if !known.has_document(name).await {
                // Of a page that is being drawn, what is the only one of its kind may not remain so.
                let rest = document::rest(&keeper.worlds, &page, QUIET, CHANGES);
                drop(tokio::time::timeout(APPEARS, rest).await);
            }
            loop {
                if let Err(error) = known.look_again(&page).await {
                    tracing::debug!(%error, "cannot look for the heir of a ref");
                }
                match known.resolve(name).await {
                    // The page was loaded anew, and is not drawn yet.
                    Err(Stale::Gone { .. }) if known.awaits(name) && Instant::now() < until => {
                        let change = document::changed(&keeper.worlds, &page, QUIET, CHANGES);
                        // A page that does not answer is looked at again all the same.
                        drop(tokio::time::timeout(APPEARS, change).await);
                    }
                    found => break found?,
                }
            }
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

/// The failure of a selector that several elements match, with their refs.
pub(super) async fn candidates(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    error: &ActError,
) -> Option<Failure> {
    let ActError::Ambiguous {
        candidates, nodes, ..
    } = error
    else {
        return None;
    };
    let shared = keeper.views.of(running, tab);
    let mut view = shared.lock().await;
    let lines = view
        .lines_of_nodes(&view::page(running, tab), nodes)
        .await
        .ok()?;
    let named = lines.into_iter().zip(candidates);
    let named: Vec<String> = named
        .map(|(line, plain)| line.unwrap_or_else(|| plain.clone()))
        .collect();
    (!named.is_empty()).then(|| trouble::several(&error.to_string(), &named))
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
