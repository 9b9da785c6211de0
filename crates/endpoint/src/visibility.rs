//! Whether a page is behind another tab of its window.
//!
//! Chromium paints no such page and gives it no animation frames: its picture may never come, and drivers
//! that wait for an element to stand still wait for ever. A driver on a browser of its own makes its pages
//! believe that they are in front all the time (`Emulation.setFocusEmulationEnabled`), which changes what
//! they see and is kept from a profile's.

use std::time::Duration;

use super::SharedBrowser;

use szk_cdp::CallError;
/// Whether nobody can see the document.
use szk_cdp::world;
const HIDDEN: &str = "() => JSON.stringify(document.hidden)";

/// Whether a page is hidden. One that does not say so in time, because it is busy, counts as seen.
pub(super) async fn is_hidden(browser: SharedBrowser, target_id: &str, patience: Duration) -> bool {
    match tokio::time::timeout(patience, ask(&browser, target_id)).await {
        Ok(Ok(hidden)) => hidden,
        Ok(Err(error)) => {
            tracing::debug!(target_id, %error, "does not say whether it is hidden");
            false
        }
        Err(_) => {
            tracing::debug!(target_id, "does not say in time whether it is hidden");
            false
        }
    }
}

async fn ask(browser: &SharedBrowser, target_id: &str) -> Result<bool, CallError> {
    let session = browser
        .page_session(target_id)
        .ok_or(CallError::SessionGone)?;
    world::run(&browser.connection(), &session, target_id, HIDDEN, &()).await
}
