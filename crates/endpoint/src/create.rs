//! A new page, made so that stealth is in place before its first document.
//!
//! Chromium does not pause a page that a client creates with a URL, and loses scripts over a process
//! swap if they were not acknowledged. So a page is made at about:blank, the supervisor's answers are
//! awaited, and then the supervisor sends it on its way.

use serde_json::json;
use szk_cdp::raw;

use super::{SharedBrowser, SupervisedBrowser};

/// Where pages are made.
pub(super) const BLANK: &str = "about:blank";

/// The page could not be set up; it was closed again.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the new page went away, or its setup timed out")]
pub(super) struct SetupFailed;

/// Waits for the stealth of a page that was just made at about:blank, then sends it to `url`.
///
/// Not waiting for the navigation, as Chromium does not: a slow server would keep the client waiting
/// for a page that it could already use.
///
/// # Errors
/// [`SetupFailed`] when stealth is not in place after the gate's limit. The page is closed then: no
/// page runs without stealth.
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
        let params = raw(&json!({ "url": url }));
        // Where it leads is between the page and its client.
        drop(connection.post_raw(Some(&session), "Page.navigate", Some(params)));
    }
    Ok(())
}

fn close(browser: &dyn SupervisedBrowser, target_id: &str) {
    let params = raw(&json!({ "targetId": target_id }));
    // It may be gone already.
    drop(
        browser
            .connection()
            .post_raw(None, "Target.closeTarget", Some(params)),
    );
}
