//! The tabs of clients: finds a call's tab, and opens one where it needs its own.

use szk_runtime::session::{Running, SessionError};
use szk_runtime::supervisor::Tab;
use szk_tools::Failure;

use super::SharedTab;
use crate::context::Keeper;
use crate::failure;

/// The open tabs, oldest first, with the programs that made them through the endpoint.
pub(crate) async fn seen(keeper: &Keeper) -> Vec<SharedTab> {
    let tabs = keeper.session.tabs();
    let mut seen: Vec<SharedTab> = tabs.iter().map(SharedTab::of).collect();
    if *keeper.visitors.borrow() == 0 {
        return seen;
    }
    let endpoint = keeper.session.endpoint().await;
    for client in endpoint.iter().flat_map(|endpoint| &endpoint.clients) {
        for tab in &mut seen {
            if client.pages.contains(&tab.target) {
                tab.program = Some(program(client));
            }
        }
    }
    seen
}

/// A client of the endpoint, for people.
pub(crate) fn program(client: &szk_endpoint::ClientInfo) -> String {
    match &*client.name {
        "" => "CDP client (endpoint)".to_owned(),
        name => format!("{name} (endpoint)"),
    }
}

/// Whether another client that lives has this tab.
pub(crate) async fn of_another(keeper: &Keeper, tab: &Tab) -> bool {
    let open = seen(keeper).await;
    let tab = open.iter().find(|seen| seen.id == tab.id);
    tab.is_some_and(|tab| keeper.visit.another(tab, &open).is_some())
}

/// The call turns to a tab, which becomes the one used last.
///
/// # Errors
/// `TAB_TAKEN` if it writes and another client holds the tab.
pub(crate) async fn turn_to(keeper: &Keeper, running: &Running, tab: &Tab) -> Result<(), Failure> {
    let open = seen(keeper).await;
    let same = open.iter().find(|seen| seen.id == tab.id).cloned();
    let tab_seen = same.unwrap_or_else(|| SharedTab::of(tab));
    keeper.visit.turn_to(&tab_seen, &open)?;
    running.supervisor.use_tab(tab);
    Ok(())
}

/// The tab of a call that names none.
///
/// # Errors
/// No tab can be opened.
pub(crate) async fn own(keeper: &Keeper, running: &Running) -> Result<Tab, Failure> {
    let supervisor = &running.supervisor;
    let had = |open: &[SharedTab]| keeper.visit.own(open).and_then(|id| supervisor.tab(&id));
    if let Some(tab) = had(&seen(keeper).await) {
        return Ok(tab);
    }
    // A tab that is being opened for another client looks like nobody's until that client has it.
    let _turn = keeper.sharing.opening().await;
    let open = seen(keeper).await;
    // Another call of this client may have opened one meanwhile.
    if let Some(tab) = had(&open) {
        return Ok(tab);
    }
    let current = supervisor.current_tab();
    let current = current.filter(|tab| !keeper.sharing.is_private(&tab.id));
    if let Some(current) = &current
        && let Some(id) = keeper.visit.claim(&open, &current.id)
        && let Some(tab) = supervisor.tab(&id)
    {
        return Ok(tab);
    }
    let used = current.and_then(|current| {
        let used = open.iter().find(|seen| seen.id == current.id)?;
        Some((current.id, keeper.visit.another(used, &open)?))
    });
    let tab = open_in_turn(keeper, running).await?;
    if let Some((used, by)) = used {
        let line = format!(
            "opened {} for you, in a window of its own: {by} works in {used}",
            tab.id
        );
        keeper.visit.tell(line);
    }
    Ok(tab)
}

/// A new blank tab for the client: among others in a window of its own, because tabs of one window hide
/// each other.
///
/// # Errors
/// No tab can be opened.
pub(crate) async fn open(keeper: &Keeper, running: &Running) -> Result<Tab, Failure> {
    let _turn = keeper.sharing.opening().await;
    open_in_turn(keeper, running).await
}

/// The same, always in a window of its own: the timers of a page that is hidden are slow.
///
/// # Errors
/// No tab can be opened.
pub(crate) async fn open_apart(keeper: &Keeper, running: &Running) -> Result<Tab, Failure> {
    let _turn = keeper.sharing.opening().await;
    let opened = running.supervisor.open_window().await;
    let tab = opened.map_err(|error| failure::tab(&error))?;
    keeper.visit.has_got(&SharedTab::of(&tab));
    Ok(tab)
}

async fn open_in_turn(keeper: &Keeper, running: &Running) -> Result<Tab, Failure> {
    let supervisor = &running.supervisor;
    let opened = if keeper.visit.is_alone() && *keeper.visitors.borrow() == 0 {
        supervisor.open_tab().await
    } else {
        supervisor.open_window().await
    };
    match opened {
        Ok(tab) => {
            keeper.visit.has_got(&SharedTab::of(&tab));
            Ok(tab)
        }
        // Nothing was done, so the next keeper can be asked.
        Err(_) if keeper.session.is_ending().await => Err(failure::session(&SessionError::Closing)),
        Err(error) => Err(failure::tab(&error)),
    }
}
