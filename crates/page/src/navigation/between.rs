//! Pages that are stuck between two documents.
//!
//! A navigation may have committed in the browser while the old document's script keeps its renderer busy,
//! with a loop or with one dialog after the other. Chromium announces nothing then.

use std::time::Duration;

use szk_cdp::CallError;
use szk_cdp::protocol::page::GetNavigationHistoryParams;

use crate::{Page, is_gone};

/// Pause between two looks, and the time limit of one.
const LOOK: Duration = Duration::from_millis(500);

/// Chromium's messages for a page that is no longer, or not yet, the one in the tab.
const MESSAGES: [&str; 5] = [
    "Not attached to an active page",
    "Inspected target navigated or closed",
    "Unable to capture screenshot",
    "Frame is detached",
    "Page is not ready",
];

/// Whether the browser refused because the page is being replaced.
#[must_use]
pub fn is_between_documents(error: &CallError) -> bool {
    let refused = |message: &str| MESSAGES.iter().any(|known| message.contains(known));
    is_gone(error) || matches!(error, CallError::Remote { message, .. } if refused(message))
}

/// Ends once this many looks in a row have found the page between two documents.
pub async fn stays_between(page: &Page, looks: u32) {
    let mut found = 0;
    while found < looks {
        tokio::time::sleep(LOOK).await;
        found = if is_between(page).await { found + 1 } else { 0 };
    }
}

/// Whether the page is between two documents: Chromium does not even return its history then.
async fn is_between(page: &Page) -> bool {
    let params = GetNavigationHistoryParams::default();
    let asked = page.connection.run(Some(&page.session), &params);
    let answer = tokio::time::timeout(LOOK, asked).await;
    matches!(answer, Ok(Err(error)) if is_between_documents(&error))
}

#[cfg(test)]
mod tests {
    use szk_cdp::testing::{Answer, Script};
    use tokio::time::Instant;

    use super::*;
    use crate::testing;

    const HISTORY: &str = "Page.getNavigationHistory";

    fn stuck() -> Answer {
        Answer::error(-32000, "Not attached to an active page")
    }

    #[tokio::test(start_paused = true)]
    async fn only_looks_in_a_row_count() {
        let script = Script::new().answer(HISTORY, stuck()).nth(
            HISTORY,
            3,
            Answer::ok(serde_json::json!({})),
        );
        let (page, peer) = testing::page(script);
        stays_between(&page, 3).await;
        assert_eq!(peer.calls().len(), 6, "two, one that was well, three");
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_that_does_not_answer_is_only_busy() {
        let (page, _peer) = testing::page(Script::new().answer(HISTORY, Answer::silence()));
        let began = Instant::now();
        assert!(!is_between(&page).await);
        assert_eq!(began.elapsed(), LOOK);
    }
}
