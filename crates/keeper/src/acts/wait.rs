//! What a wait has waited for, as a recipe can expect it.

use szk_page::act::{Act, Scene, State, Target, Wait};
use szk_page::document::Document;
use szk_page::snapshot::Candidates;
use szk_recipes::{Acted, Awaited, Identity, Thing};
use szk_runtime::session::Running;
use szk_runtime::supervisor::Tab;

use super::meant::Asking;
use crate::browser::page;
use crate::context::Keeper;

/// A wait that is about to begin.
pub(super) struct Begun {
    wait: Wait,
    target: Option<Target>,
}

/// Whether an act waits for an element that may not be there yet: it is identified in the end.
pub(super) fn comes(act: &Act) -> bool {
    matches!(act, Act::Wait(wait) if !leaves(wait))
}

fn leaves(wait: &Wait) -> bool {
    matches!(wait.state, State::Hidden | State::Detached)
}

pub(super) fn begun(act: &Act, target: Option<&Target>) -> Option<Begun> {
    let Act::Wait(wait) = act else { return None };
    Some(Begun {
        wait: wait.clone(),
        target: target.cloned(),
    })
}

/// Adds to the entry of a wait what is so now that it is over.
pub(super) async fn ended(
    keeper: &Keeper,
    running: &Running,
    tab: &Tab,
    scene: &Scene<'_>,
    begun: Begun,
    acted: &mut Acted,
) {
    let Begun { wait, target } = begun;
    let leaves = leaves(&wait);
    if let Some(text) = wait.text {
        acted.awaited = Some(Awaited {
            text: Some(text),
            away: leaves,
        });
    }
    if wait.url.is_some() {
        let read = Document::read(&keeper.worlds, &page(running, tab)).await;
        acted.effect.navigated = read.ok().map(|document| document.url);
    }
    let Some(target) = target else { return };
    if !leaves {
        let ask = Asking {
            keeper,
            running,
            tab,
            scene,
        };
        let found = ask.control(&target).await;
        acted.on = found.map(|found| found.identity);
    }
    let Some(thing) = acted.on.as_ref().and_then(thing) else {
        return;
    };
    let shared = keeper.views.of(running, tab);
    let mut view = shared.lock().await;
    let Ok(shown) = view
        .elements(&page(running, tab), Candidates::Controls)
        .await
    else {
        return;
    };
    let is_shown = |thing: &Thing| shown.things.iter().any(|one| thing.is(one));
    match (leaves, is_shown(&thing)) {
        (true, false) => acted.effect.gone.push(thing),
        (false, true) => acted.effect.appeared.push(thing),
        // It is there, but a replay would not see it by these words.
        _ => {}
    }
}

/// What an element shows, if it can be known by that.
fn thing(on: &Identity) -> Option<Thing> {
    let names = [&on.name, &on.label, &on.text];
    let name = names.into_iter().find(|name| !name.is_empty());
    let role = match on.role.as_str() {
        "generic" => "",
        role => role,
    };
    let name = name.cloned().unwrap_or_default();
    (!name.is_empty() || !role.is_empty()).then(|| Thing {
        role: role.to_owned(),
        name,
        ..Thing::default()
    })
}
