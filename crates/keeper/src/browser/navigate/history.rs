//! Back, forward, and the same again.

use serde::Deserialize;
use szk_cdp::protocol::page::{
    GetNavigationHistoryParams, NavigateToHistoryEntryParams, ReloadParams,
};
use szk_cdp::{CallError, Connection};
use szk_runtime::supervisor::Tab;
use szk_tools::browser::History;
use szk_tools::{Code, Done, Failure};

use crate::failure;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HistoryList {
    current_index: usize,
    entries: Vec<HistoryEntry>,
}

#[derive(Deserialize)]
struct HistoryEntry {
    id: i64,
}

/// Starts a move in the history.
pub(super) async fn move_in_history(
    connection: &Connection,
    tab: &Tab,
    history: History,
) -> Result<(), Failure> {
    let session = &tab.page.session;
    let refused =
        |error: &CallError| failure::cdp("the browser refused to navigate", error, Done::None);
    let back = match history {
        History::Reload => {
            let reload = ReloadParams::default();
            let reloaded = connection.run(Some(session), &reload);
            return reloaded.await.map_err(|error| refused(&error));
        }
        History::Back => true,
        History::Forward => false,
    };
    let list: HistoryList = connection
        .ask(Some(session), &GetNavigationHistoryParams::default())
        .await
        .map_err(|error| refused(&error))?;
    let index = if back {
        list.current_index.checked_sub(1)
    } else {
        list.current_index.checked_add(1)
    };
    let Some(entry) = index.and_then(|index| list.entries.get(index)) else {
        let place = if back { "before" } else { "after" };
        return Err(Failure::new(
            Code::NotFound,
            format!("the history of {} has no page {place} this one", tab.id),
        )
        .hint("give a `url` instead"));
    };
    let entry = NavigateToHistoryEntryParams::new(entry.id);
    let moved = connection.run(Some(session), &entry);
    moved.await.map_err(|error| refused(&error))
}
