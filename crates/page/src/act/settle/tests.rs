//! Acts whose navigation ends without a document, or does not end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::Connection;
use szk_cdp::testing::{Peer, Script};
use tokio::time::Instant;

use super::Watch;
use crate::act::outcome::{Journey, Outcome};

/// The events of following a link, up to the end of its navigation.
fn ends(peer: &Peer, status: Option<u16>) {
    let say = |method, params: Value| peer.event(Some("S"), method, params);
    let to = json!({"frameId": "T", "url": "http://a/file", "navigationType": "differentDocument"});
    say("Page.frameStartedNavigating", to);
    // A frame's response says nothing about the page's.
    let frame =
        json!({"requestId": "F", "frameId": "F", "type": "Document", "response": {"status": 200}});
    say("Network.responseReceived", frame);
    if let Some(status) = status {
        let response = json!({"status": status});
        let answer =
            json!({"requestId": "R", "frameId": "T", "type": "Document", "response": response});
        say("Network.responseReceived", answer);
    }
    say("Page.frameStoppedLoading", json!({"frameId": "T"}));
}

/// An act that has begun in the page `T`, with a minute of time, and its browser.
fn acting(quick: bool) -> (Connection, Peer, Watch<'static>) {
    let (connection, _events, peer) = Script::new().start();
    peer.attach(None, "S", "page");
    let (begun, never) = (Arc::new(AtomicBool::new(true)), std::future::pending());
    let deadline = Instant::now() + Duration::from_secs(60);
    let asked = Box::pin(never);
    let session = "S".into();
    let watch = Watch::new(&connection, &session, "T", begun, deadline, quick, asked);
    (connection, peer, watch)
}

/// How long an act is watched that has these effects, and what came of it. The clock is paused while
/// there is work to do.
async fn settled(say: impl FnOnce(&Peer)) -> (Duration, Outcome) {
    let (_connection, peer, mut watch) = acting(false);
    let (began, deadline) = (Instant::now(), watch.deadline);
    say(&peer);
    let last = json!({"backendNodeId": 1});
    peer.event(Some("S"), "Page.fileChooserOpened", last);
    assert!(watch.until(deadline, |watch| watch.outcome.chooser).await);
    watch.settle(None, None).await;
    assert_eq!(watch.deadline, deadline, "the time of the call is not less");
    (began.elapsed(), watch.outcome)
}

/// How long such an act is watched, and how many downloads it reports.
async fn watched(status: Option<u16>, download_after: Option<Duration>) -> (Duration, usize) {
    let (_connection, peer, mut watch) = acting(true);
    let (began, deadline) = (Instant::now(), watch.deadline);
    ends(&peer, status);
    let left = watch.until(deadline, |watch| !watch.leaving.is_empty());
    assert!(left.await);
    let telling = async {
        if let Some(after) = download_after {
            tokio::time::sleep(after).await;
            let file = json!({"frameId": "T", "url": "http://a/file", "suggestedFilename": "file"});
            peer.event(Some("S"), "Page.downloadWillBegin", file);
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = watch.settle(None, None) => {}
        () = telling => {}
    }
    (began.elapsed(), watch.outcome.downloads.len())
}

#[tokio::test(start_paused = true)]
async fn what_was_answered_becomes_a_download_however_busy_the_browser_is() {
    let late = Duration::from_millis(1500);
    let (took, downloads) = watched(Some(200), Some(late)).await;
    assert_eq!(downloads, 1);
    assert!(took < late * 2, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_not_waited_for() {
    let (took, downloads) = watched(Some(204), None).await;
    assert_eq!((took, downloads), (Duration::ZERO, 0), "at once");
}

#[tokio::test(start_paused = true)]
async fn one_that_was_not_answered_ends_soon() {
    let (took, downloads) = watched(None, None).await;
    assert_eq!(downloads, 0);
    assert_eq!(took.as_secs(), 1, "{took:?}");
}

/// A frame that starts to load something.
fn loads(peer: &Peer, frame: &str) {
    let to = json!({"frameId": frame, "url": "http://a/ad", "disposition": "currentTab"});
    peer.event(Some("S"), "Page.frameRequestedNavigation", to);
}

fn detached(peer: &Peer, frame: &str, reason: &str) {
    let frame = json!({"frameId": frame, "reason": reason});
    peer.event(Some("S"), "Page.frameDetached", frame);
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_is_removed_on_its_way_is_not_waited_for() {
    let (took, outcome) = settled(|peer| {
        loads(peer, "F");
        detached(peer, "F", "remove");
    })
    .await;
    assert_eq!(took, Duration::ZERO);
    assert_eq!(outcome.navigation, None);
    assert_eq!(outcome.frames_removed, 1, "nobody else tells of it");
    assert!(outcome.happened());
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_moves_to_another_process_has_arrived() {
    let (took, outcome) = settled(|peer| {
        loads(peer, "F");
        detached(peer, "F", "swap");
    })
    .await;
    assert_eq!(took, Duration::ZERO);
    let navigation = outcome.navigation.expect("it went somewhere");
    assert_eq!(
        (navigation.journey, navigation.in_frame),
        (Journey::Arrived, true)
    );
}

#[tokio::test(start_paused = true)]
async fn frames_of_a_document_that_was_left_are_not_waited_for() {
    let (took, _) = settled(|peer| {
        loads(peer, "F");
        let page = json!({"frame": {"id": "T", "url": "http://a/next"}});
        peer.event(Some("S"), "Page.frameNavigated", page);
        peer.event(Some("S"), "Page.domContentEventFired", json!({}));
    })
    .await;
    assert_eq!(took, Duration::ZERO);
}

/// It was parsed before, and nothing tells of that again.
#[tokio::test(start_paused = true)]
async fn a_document_out_of_the_cache_is_there_at_once() {
    let (took, outcome) = settled(|peer| {
        loads(peer, "T");
        let frame = json!({"id": "T", "loaderId": "L", "url": "http://a/before"});
        let restored = json!({"frame": frame, "type": "BackForwardCacheRestore"});
        peer.event(Some("S"), "Page.frameNavigated", restored);
    })
    .await;
    assert_eq!(took, Duration::ZERO);
    let navigation = outcome.navigation.expect("it went back");
    assert_eq!(navigation.journey, Journey::Arrived);
}

/// Chromium says that loading stopped, and then what was restored.
#[tokio::test(start_paused = true)]
async fn a_page_out_of_the_cache_is_no_download_to_be_waited_for() {
    let (_connection, peer, mut watch) = acting(true);
    let began = Instant::now();
    ends(&peer, None);
    let soon = Duration::from_millis(20);
    let telling = async {
        tokio::time::sleep(soon).await;
        let frame = json!({"id": "T", "loaderId": "L", "url": "http://a/file"});
        let restored = json!({"frame": frame, "type": "BackForwardCacheRestore"});
        peer.event(Some("S"), "Page.frameNavigated", restored);
        std::future::pending::<()>().await;
    };
    let deadline = watch.deadline;
    assert!(watch.until(deadline, |watch| watch.ended()).await);
    tokio::select! {
        () = watch.settle(None, None) => {}
        () = telling => {}
    }
    assert!(began.elapsed() < soon * 2, "{:?}", began.elapsed());
    let navigation = watch.outcome.navigation.expect("it went back");
    assert_eq!(navigation.journey, Journey::Arrived);
}

#[tokio::test(start_paused = true)]
async fn a_page_is_waited_for_longer_than_its_frames() {
    let (took, outcome) = settled(|peer| loads(peer, "F")).await;
    assert_eq!(took.as_secs(), 3, "{took:?}");
    assert_eq!(
        outcome.navigation.map(|it| it.journey),
        Some(Journey::Started)
    );
    let (took, _) = settled(|peer| loads(peer, "T")).await;
    assert_eq!(took.as_secs(), 10, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_load_says_which_and_why() {
    let refused = "net::ERR_CONNECTION_REFUSED";
    let empty = "net::ERR_HTTP_RESPONSE_CODE_FAILURE";
    for (text, status, why) in [
        (refused, None, refused),
        (empty, Some(500), "HTTP ERROR 500"),
        ("", None, "the browser shows an error page"),
    ] {
        let (_, outcome) = settled(|peer| {
            let say = |method, params: Value| peer.event(Some("S"), method, params);
            loads(peer, "T");
            if let Some(status) = status {
                let response = json!({"status": status});
                say("Network.responseReceived", json!({"requestId": "L", "frameId": "T", "type": "Document", "response": response}));
            }
            say("Network.loadingFailed", json!({"requestId": "L", "type": "Document", "errorText": text}));
            let error = json!({"id": "T", "loaderId": "L", "url": "chrome-error://chromewebdata/", "unreachableUrl": "http://a/"});
            say("Page.frameNavigated", json!({"frame": error}));
            // Before all is drawn, the browser has tried again, in vain.
            let again = json!({"frameId": "T", "url": "http://a/", "navigationType": "reload"});
            say("Page.frameStartedNavigating", again);
            say("Page.domContentEventFired", json!({}));
            say("Page.frameStoppedLoading", json!({"frameId": "T"}));
        })
        .await;
        let navigation = outcome.navigation.expect("it went somewhere");
        assert_eq!(navigation.url, "http://a/");
        assert_eq!(navigation.journey, Journey::Arrived);
        assert_eq!(navigation.failed.as_deref(), Some(why));
    }
}
