//! Back, forward and reload.

use serde::Deserialize;
use szk_cdp::CallError;
use szk_cdp::protocol::page::{
    GetNavigationHistoryParams, NavigateToHistoryEntryParams, ReloadParams,
};

use crate::Page;

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

/// Starts a move in the history.
///
/// # Errors
/// [`MoveError`].
pub async fn history(page: &Page, step: Move) -> Result<(), MoveError> {
    let session = Some(&page.session);
    if step == Move::Reload {
        let reload = ReloadParams::default();
        return Ok(page.connection.run(session, &reload).await?);
    }
    let params = GetNavigationHistoryParams::default();
    let list: History = page.connection.ask(session, &params).await?;
    let index = match step {
        Move::Back => list.current_index.checked_sub(1),
        Move::Forward | Move::Reload => list.current_index.checked_add(1),
    };
    let entry = index.and_then(|index| list.entries.get(index));
    let entry = NavigateToHistoryEntryParams::new(entry.ok_or(MoveError::End)?.id);
    Ok(page.connection.run(session, &entry).await?)
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
            Ok(()) => peer
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
