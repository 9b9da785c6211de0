//! Sending a page to an address.

use std::time::Duration;

use serde::Deserialize;
use szk_cdp::protocol::network::EventResponseReceived;
use szk_cdp::protocol::page::{NavigateParams, StopLoadingParams};
use szk_cdp::{CallError, SessionId, Subscription, SubscriptionError};
use tokio::time::Instant;

use super::is_between_documents;
use crate::Page;

/// How long a tab may be between two documents before it is sent elsewhere.
const BETWEEN: Duration = Duration::from_secs(3);
/// Pause between two attempts.
const AGAIN: Duration = Duration::from_millis(100);
/// How Chromium says that no document came.
const ABORTED: &str = "net::ERR_ABORTED";

/// What the browser says about a navigation that it began.
#[derive(Debug, PartialEq, Eq)]
pub enum Started {
    /// This document is on its way.
    Document(String),
    /// The page moves within its document.
    Within,
    /// The address is a download; the document stays.
    Download,
    /// The load failed with this error, such as `net::ERR_CONNECTION_REFUSED`.
    Failed(String),
    /// The server answered without a document (204, 205), or its answer may have been missed.
    Nothing,
    /// No document came, and no server said so: another navigation took its place, or a process that was
    /// to bring the document died.
    Lost,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Navigated {
    loader_id: Option<String>,
    error_text: Option<String>,
    is_download: bool,
}

/// Sends a page to an address, once it is no longer between two documents. The browser answers when it
/// knows what the server sends.
///
/// # Errors
/// [`CallError`] when the page is gone, or the address does not parse.
pub async fn start(page: &Page, url: &str) -> Result<Started, CallError> {
    let mut events = page.connection.subscribe();
    let began = Instant::now();
    let navigated = loop {
        match navigate(page, url).await {
            Err(error) if is_between_documents(&error) && began.elapsed() < BETWEEN => {
                tokio::time::sleep(AGAIN).await;
            }
            navigated => break navigated?,
        }
    };
    Ok(match navigated {
        Navigated {
            is_download: true, ..
        } => Started::Download,
        Navigated {
            error_text: Some(text),
            ..
        } => match text == ABORTED {
            false => Started::Failed(text),
            true if was_empty(&mut events, &page.session) => Started::Nothing,
            true => Started::Lost,
        },
        Navigated {
            loader_id: Some(loader),
            ..
        } => Started::Document(loader),
        Navigated {
            loader_id: None, ..
        } => Started::Within,
    })
}

/// Leaves a page for a blank one. Nothing has to load there, so a page that shows one dialog after the
/// other cannot hold it up.
///
/// # Errors
/// [`CallError`] when the page is gone.
pub async fn leave_for_blank(page: &Page) -> Result<(), CallError> {
    let blank = NavigateParams::new("about:blank");
    page.connection.run(Some(&page.session), &blank).await
}

/// Navigates. If the page is on its way there already, that navigation is stopped first: Chromium would
/// join the two, and say that nothing came of the second.
async fn navigate(page: &Page, url: &str) -> Result<Navigated, CallError> {
    let session = Some(&page.session);
    let params = NavigateParams::new(url);
    let navigated: Navigated = page.connection.ask(session, &params).await?;
    if navigated.loader_id.is_some() || navigated.error_text.as_deref() != Some(ABORTED) {
        return Ok(navigated);
    }
    let stop = StopLoadingParams::default();
    page.connection.run(session, &stop).await?;
    page.connection.ask(session, &params).await
}

/// Whether a server has answered the page without a document (204, 205).
fn was_empty(events: &mut Subscription, session: &SessionId) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Received {
        r#type: String,
        response: Response,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Response {
        #[serde(deserialize_with = "szk_cdp::json::or_default")]
        status: u16,
    }
    loop {
        match events.try_recv() {
            Ok(Some(event)) => {
                if event.method != EventResponseReceived::IDENTIFIER
                    || event.session.as_ref() != Some(session)
                {
                    continue;
                }
                let received: Received = event.read().unwrap_or_default();
                if received.r#type == "Document" && matches!(received.response.status, 204 | 205) {
                    return true;
                }
            }
            // Some events were lost: it may have been among them.
            Err(SubscriptionError::Lagged(_)) => return true,
            Ok(None) | Err(SubscriptionError::Closed) => return false,
        }
    }
}

/// A navigation that has not got anywhere yet. If the guard is dropped while armed (time is up, the caller
/// went away), the navigation is stopped: until then Chromium would hold back everything else that is asked
/// of the page.
pub struct PendingStart {
    page: Page,
    armed: bool,
}

impl PendingStart {
    /// Guards a navigation that is about to start.
    #[must_use]
    pub fn new(page: &Page) -> Self {
        Self {
            page: page.clone(),
            armed: true,
        }
    }

    /// A navigation starts again.
    pub fn arm(&mut self) {
        self.armed = true;
    }

    /// It has got somewhere.
    pub fn disarm(&mut self) {
        self.armed = false;
    }
}

impl Drop for PendingStart {
    fn drop(&mut self) {
        if self.armed {
            let stop = StopLoadingParams::default();
            self.page.connection.tell(Some(&self.page.session), &stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use szk_cdp::testing::{Answer, Peer, Script};

    use super::*;
    use crate::testing;

    const NAVIGATE: &str = "Page.navigate";

    async fn of(script: Script) -> (Started, Peer) {
        let (page, peer) = testing::page(script);
        (start(&page, "http://a/").await.unwrap(), peer)
    }

    async fn said(answer: Value) -> Started {
        of(Script::new().answer(NAVIGATE, answer)).await.0
    }

    #[tokio::test]
    async fn what_the_browser_says_is_what_was_started() {
        let document = said(json!({"frameId": "T", "loaderId": "L"})).await;
        assert_eq!(document, Started::Document("L".to_owned()));
        assert_eq!(said(json!({"frameId": "T"})).await, Started::Within);
        let download = json!({"isDownload": true, "errorText": ABORTED});
        assert_eq!(said(download).await, Started::Download);
        let refused = said(json!({"loaderId": "L", "errorText": "net::ERR_FAILED"})).await;
        assert_eq!(refused, Started::Failed("net::ERR_FAILED".to_owned()));
    }

    /// What an aborted navigation is, after an answer of this status and type in this session.
    async fn aborted(session: &str, kind: &str, status: u16) -> Started {
        let response = json!({"type": kind, "response": {"status": status}});
        let answer = Answer::silence()
            .event(Some(session), "Network.responseReceived", response)
            .and(Answer::ok(json!({"errorText": ABORTED})));
        of(Script::new().answer(NAVIGATE, answer)).await.0
    }

    #[tokio::test]
    async fn an_empty_answer_is_told_from_a_lost_one() {
        assert_eq!(aborted("S", "Document", 204).await, Started::Nothing);
        assert_eq!(aborted("S", "Document", 205).await, Started::Nothing);
        assert_eq!(aborted("S", "Document", 200).await, Started::Lost);
        assert_eq!(aborted("S", "Image", 204).await, Started::Lost);
        assert_eq!(aborted("other", "Document", 204).await, Started::Lost);
    }

    #[tokio::test]
    async fn a_navigation_to_the_same_address_begins_anew() {
        let script = Script::new()
            .nth(NAVIGATE, 1, Answer::ok(json!({"errorText": ABORTED})))
            .answer(NAVIGATE, json!({"loaderId": "L"}));
        let (started, peer) = of(script).await;
        assert_eq!(started, Started::Document("L".to_owned()));
        assert_eq!(peer.methods(), [NAVIGATE, "Page.stopLoading", NAVIGATE]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_between_two_documents_is_waited_for() {
        let between = "Not attached to an active page";
        let script = Script::new()
            .fail_nth(NAVIGATE, 1, -32000, between)
            .fail_nth(NAVIGATE, 2, -32000, between)
            .answer(NAVIGATE, json!({"loaderId": "L"}));
        let (started, peer) = of(script).await;
        assert_eq!(started, Started::Document("L".to_owned()));
        assert_eq!(peer.calls().len(), 3);
    }

    #[tokio::test]
    async fn a_navigation_that_is_given_up_is_stopped() {
        let (page, peer) = testing::page(Script::new());
        let mut arrived = PendingStart::new(&page);
        arrived.disarm();
        drop(arrived);
        drop(PendingStart::new(&page));
        assert!(peer.call("Page.stopLoading", 1).await.is_some());
        assert_eq!(peer.calls().len(), 1);
    }
}
