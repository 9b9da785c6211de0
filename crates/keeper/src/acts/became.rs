//! What became of elements by an act: states, values and places, as a recipe can expect them.

use szk_page::act::Did;
use szk_page::snapshot::{Condition, Watched};
use szk_recipes::{Position, State, Thing};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use super::PATIENCE;
use crate::context::Keeper;
use crate::{dialogs, recipe};

/// Longest text by which a place is known.
const LONGEST: usize = 80;

/// Adds to the entry of an act what is different of its element, once the page has settled.
pub(crate) async fn became(keeper: &Keeper, running: &Running, tab: &Tab, did: &Did) {
    let (Some(id), Some(watched)) = (did.logged, &did.watched) else {
        return;
    };
    let outcome = &did.outcome;
    // A page that is held up cannot be asked.
    if outcome.closed || outcome.late || outcome.open_dialog().is_some() {
        return;
    }
    let asked = tokio::time::timeout(PATIENCE, now(keeper, running, tab, watched, id));
    let asked = dialogs::unless_held(&keeper.event_log, &tab.page.target_id, asked);
    let Some(Ok(Some(now))) = asked.await else {
        return;
    };
    let state = now.state.since(&watched.before.state);
    let mut place = match watched.moves {
        true => now.place.since(&watched.before.place),
        false => Position::default(),
    };
    for text in place.texts_mut() {
        *text = text.take().filter(|text| text.chars().count() <= LONGEST);
    }
    if !state.is_empty() || !place.is_empty() {
        keeper.event_log.turned(id, state, place);
    }
}

/// What the element is like now. Whoever draws a list anew after something was moved in it puts another element
/// in its place.
async fn now(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    watched: &Watched,
    id: u64,
) -> Option<Condition> {
    let ask = async |handle| {
        let shared = keeper.views.of(running, tab);
        let view = shared.lock().await;
        let asked = view.condition(handle, watched.moves, None).await;
        asked
            .inspect_err(|error| tracing::debug!(%error, "cannot tell what became of an element"))
            .ok()?
    };
    if let Some(now) = ask(watched.handle).await {
        return Some(now);
    }
    let alone = State {
        value: None,
        ..watched.before.state.clone()
    };
    // Most of what goes away with an act is gone for good.
    if !watched.moves && alone.is_empty() {
        return None;
    }
    let on = recipe::acted(keeper, &tab.id, id)?.on?;
    ask(recipe::again(keeper, running, tab, &on).await?).await
}

/// Adds to the entry of an act what became of other elements, and whether anything has changed late.
pub(crate) fn others(keeper: &Keeper, id: u64, became: Vec<Thing>, stirred: bool) {
    if stirred || !became.is_empty() {
        keeper.event_log.became(id, became);
    }
}
