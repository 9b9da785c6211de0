//! Back, forward and reload.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::CallError;
use szk_cdp::protocol::page::{
    GetNavigationHistoryParams, NavigateToHistoryEntryParams, ReloadParams,
};

use crate::{Page, document};

/// Pause before a look at where the tab is.
const LOOK: Duration = Duration::from_millis(250);
/// How many looks in a row must find it there: what the page tells comes a little later.
const LOOKS: u32 = 2;

/// A move in a page's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// To the entry before.
    Back,
    /// To the entry after.
    Forward,
    /// The same entry again.
    Reload,
}

/// A move did not begin.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The history ends here.
    #[error("the history has no page there")]
    End,
    /// The page is gone, or the browser refused.
    #[error(transparent)]
    Call(#[from] CallError),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: i64,
}

/// Starts a move in the history, and returns the id of the entry that it leads to; none for a reload.
///
/// # Errors
/// [`MoveError`].
pub async fn history(page: &Page, step: Move) -> Result<Option<i64>, MoveError> {
    let session = Some(&page.session);
    if step == Move::Reload {
        page.connection
            .run(session, &ReloadParams::default())
            .await?;
        return Ok(None);
    }
    let list = list(page).await?;
    let index = match step {
        Move::Back => list.current_index.checked_sub(1),
        Move::Forward | Move::Reload => list.current_index.checked_add(1),
    };
    let entry = index.and_then(|index| list.entries.get(index));
    let id = entry.ok_or(MoveError::End)?.id;
    let entry = NavigateToHistoryEntryParams::new(id);
    page.connection.run(session, &entry).await?;
    Ok(Some(id))
}

/// Ends once the tab is at an entry of its history, and the page has had the time to say what that brought.
/// An entry may differ from the one before in a frame alone: then nothing tells of a move of the page itself.
/// Does not end without an entry.
pub(super) async fn arrives(page: &Page, entry: Option<i64>) {
    let Some(entry) = entry else {
        return std::future::pending().await;
    };
    let mut found = 0;
    while found < LOOKS {
        tokio::time::sleep(LOOK).await;
        // What the page has told by now comes before its answer.
        let there = is_at(page, entry).await && document::id(page).await.is_ok();
        found = if there { found + 1 } else { 0 };
    }
}

/// Whether a tab is at an entry of its history.
async fn is_at(page: &Page, entry: i64) -> bool {
    let list = list(page).await;
    list.is_ok_and(|list| {
        let current = list.entries.get(list.current_index);
        current.is_some_and(|current| current.id == entry)
    })
}

async fn list(page: &Page) -> Result<History, CallError> {
    let params = GetNavigationHistoryParams::default();
    page.connection.ask(Some(&page.session), &params).await
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_cdp::testing::Script;

    use super::*;
    use crate::testing;

    /// Where a move leads in a history of three entries.
    async fn moved(at: usize, step: Move) -> Option<Value> {
        let list = json!({"currentIndex": at, "entries": [{"id": 10}, {"id": 11}, {"id": 12}]});
        let (page, peer) = testing::page(Script::new().answer("Page.getNavigationHistory", list));
        match history(&page, step).await {
            Ok(_) => peer
                .calls()
                .last()
                .map(|call| call.params["entryId"].clone()),
            Err(MoveError::End) => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn moves_end_at_the_ends_of_the_history() {
        assert_eq!(moved(1, Move::Back).await, Some(json!(10)));
        assert_eq!(moved(1, Move::Forward).await, Some(json!(12)));
        assert_eq!(moved(0, Move::Back).await, None);
        assert_eq!(moved(2, Move::Forward).await, None);
    }

    #[tokio::test]
    async fn a_reload_needs_no_history() {
        let (page, peer) = testing::page(Script::new());
        history(&page, Move::Reload).await.unwrap();
        assert_eq!(peer.methods(), ["Page.reload"]);
    }
}
