//! Where something is, for who takes a picture of it.

use szk_page::act::{Failed, Rect, Target};
use szk_page::snapshot::{Element, Scope};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use super::stage::Stage;
use super::{refs, trouble};
use crate::browser::view;
use crate::context::Keeper;

/// Width and height of an element that was found, in CSS pixels of its frame.
pub(crate) async fn size(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    element: &Element,
) -> Result<(u32, u32), Failure> {
    let stage = Stage::new(running, tab, &keeper.acting);
    let found = stage.scene().size(&Target::Element(element.clone())).await;
    found.map_err(|error| trouble::failure(Failed::unseen(error), None, None))
}

/// The box of a ref, or of the one element that fits a selector, in the page's viewport.
pub(crate) async fn rect(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    given: &str,
) -> Result<Rect, Failure> {
    let (reference, target) = match view::scope(given) {
        Scope::Ref(name) => {
            let node = refs::find(keeper, running, tab, &name, true).await;
            let node = node.map_err(|error| view::stale(&error))?;
            (Some(name), Target::Ref(node))
        }
        Scope::Selector(selector) => (None, Target::Selector(selector)),
    };
    let stage = Stage::new(running, tab, &keeper.acting);
    let found = stage.scene().rect(&target).await;
    found.map_err(|error| trouble::failure(Failed::unseen(error), reference.as_deref(), None))
}
