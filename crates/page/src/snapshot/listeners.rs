//! Learns from the browser which elements listen for presses and drops, because no script can see that.
//!
//! The browser compiles handlers that are written as attributes when it is asked, and a page hears of one
//! that does not compile. So the script looks at them first, and the browser is not asked if one is
//! broken or out of sight. A broken handler in a closed shadow tree that nothing has revealed is missed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use serde::Deserialize;
use szk_cdp::protocol::dom_debugger::GetEventListenersParams;

use super::error::ReadError;
use super::world::World;

/// A document with more elements than this is read without asking.
const MOST_ELEMENTS: u32 = 20_000;
/// Most elements to bring into our world for one reading: each costs a call.
const MOST: usize = 200;
/// Events that a press, a click or the start of a drag brings about.
const PRESSES: [&str; 9] = [
    "click",
    "dblclick",
    "mousedown",
    "mouseup",
    "pointerdown",
    "pointerup",
    "touchstart",
    "contextmenu",
    "dragstart",
];

/// The event of what takes something that is dragged there.
const DROP: &str = "drop";

/// An element that listens, and whether for what is dropped on it.
pub(super) type Hears = (i64, bool);

/// The elements of one document that the script knows to listen.
#[derive(Clone, Default)]
pub(super) struct Learnt(
    // A std mutex: nothing awaits under it.
    Arc<Mutex<HashSet<Hears>>>,
);

#[derive(Deserialize)]
struct Listeners {
    listeners: Vec<Listener>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listener {
    r#type: String,
    backend_node_id: Option<i64>,
}

impl Learnt {
    /// Elements that listen and that the script does not know of yet.
    fn new_of(&self, found: Listeners) -> Vec<Hears> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        for listener in found.listeners {
            let Some(node) = listener.backend_node_id else {
                continue;
            };
            let kind = listener.r#type.as_str();
            let hears = (node, kind == DROP);
            let matters = hears.1 || PRESSES.contains(&kind);
            if matters && new.len() < MOST && known.insert(hears) {
                new.push(hears);
            }
        }
        new
    }
}

/// Tells the script which elements listen for presses.
pub(super) async fn learn(world: &World) -> Result<(), ReadError> {
    let trees = world.quiet_trees(MOST_ELEMENTS).await?;
    join_all(trees.into_iter().map(|tree| learn_in(world, tree))).await;
    Ok(())
}

/// Asks about one tree, by its handle in the page's own world. A search that goes into everything would
/// find those listeners from any world, and also the ones of other worlds: Chromium 156 loses the renderer
/// over them, about once in twenty documents.
async fn learn_in(world: &World, tree: String) {
    let asked = GetEventListenersParams {
        depth: Some(-1),
        pierce: Some(false),
        ..GetEventListenersParams::new(tree)
    };
    match world.ask(&asked).await {
        Ok(found) => {
            let new = world.learnt.new_of(found);
            join_all(new.into_iter().map(|hears| world.teach(hears))).await;
        }
        // A browser that does not say leaves the rest of the reading as it is.
        Err(error) => tracing::debug!(%error, "cannot ask for listeners"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(listeners: &[(&str, i64)]) -> Listeners {
        let listeners = listeners.iter().map(|(kind, node)| Listener {
            r#type: (*kind).to_owned(),
            backend_node_id: (*node > 0).then_some(*node),
        });
        Listeners {
            listeners: listeners.collect(),
        }
    }

    #[test]
    fn each_element_that_hears_presses_is_learnt_once() {
        let learnt = Learnt::default();
        let told = [("click", 7), ("mousedown", 7), ("scroll", 8), ("load", 0)];
        assert_eq!(learnt.new_of(found(&told)), [(7, false)]);
        let told = [("click", 7), ("dragstart", 9), ("drop", 7)];
        assert_eq!(learnt.new_of(found(&told)), [(9, false), (7, true)]);
        let many: Vec<(&str, i64)> = (100..1000).map(|node| ("click", node)).collect();
        assert_eq!(learnt.new_of(found(&many)).len(), MOST);
        // The rest comes with the next reading.
        assert_eq!(learnt.new_of(found(&many))[0].0, 100 + MOST as i64);
    }
}
