//! Opens a new page with stealth in place before its first document.
//!
//! Chromium does not pause a page that a client creates with a URL, and scripts that were not
//! acknowledged may be lost in a process swap. So the page is created at about:blank, and navigated once
//! Chromium has answered the supervisor's commands.

use szk_cdp::protocol::page::NavigateParams;
use szk_cdp::protocol::target::CloseTargetParams;

use super::{SharedBrowser, SupervisedBrowser};

/// Where pages are created.
pub(super) const BLANK: &str = "about:blank";

/// The page could not be set up, and was closed again.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the new page went away, or its setup timed out")]
pub(super) struct SetupFailed;

/// Waits for the stealth of a page that was just created at about:blank, then navigates it to `url`.
///
/// Does not wait for the navigation, as Chromium does not: a slow server would keep the client waiting
/// for a page that it could already use.
///
/// # Errors
/// [`SetupFailed`] if stealth is not in place in time. Then the page is closed: no page runs
/// without stealth.
pub(super) async fn settle(
    browser: SharedBrowser,
    target_id: &str,
    url: &str,
) -> Result<(), SetupFailed> {
    let ready = browser.gate().acked(target_id).await.is_ok();
    let session = browser.page_session(target_id);
    let connection = browser.connection();
    let (true, Some(session)) = (ready, session) else {
        tracing::warn!(target_id, "setting up a new page timed out; closing it");
        close(&*browser, target_id);
        return Err(SetupFailed);
    };
    if !matches!(url, "" | BLANK) {
        // How it loads is between the page and its client.
        connection.tell(Some(&session), &NavigateParams::new(url));
    }
    Ok(())
}

fn close(browser: &dyn SupervisedBrowser, target_id: &str) {
    let close = CloseTargetParams::new(target_id.to_owned());
    // It may already be gone.
    browser.connection().tell(None, &close);
}
