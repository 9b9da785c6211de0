//! Whether a page is hidden behind another tab of its window.
//!
//! Chromium does not paint a hidden page and gives it no animation frames. A screenshot of it may never
//! come, and drivers that wait for an element to stop moving wait for ever. In a browser of its own a
//! driver makes its pages believe that they are in front (`Emulation.setFocusEmulationEnabled`). That
//! changes what pages see, so the endpoint does not pass it on for pages of the profile.

use std::time::Duration;

use super::SharedBrowser;

use szk_cdp::CallError;
/// Returns whether the document is hidden.
use szk_cdp::world;
const HIDDEN: &str = "() => JSON.stringify(document.hidden)";

/// Whether a page is hidden. A page that is too busy to answer in time counts as visible.
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
