//! Acts whose navigation ends without a document.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::testing::{Peer, Script};
use tokio::time::Instant;

use super::Watch;

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

/// How long such an act is watched, and how many downloads it reports. The clock is paused while there
/// is work to do.
async fn watched(status: Option<u16>, download_after: Option<Duration>) -> (Duration, usize) {
    let (connection, _events, peer) = Script::new().start();
    peer.attach(None, "S", "page");
    let began = Instant::now();
    let (begun, never) = (Arc::new(AtomicBool::new(true)), std::future::pending());
    let deadline = began + Duration::from_secs(60);
    let asked = Box::pin(never);
    let session = "S".into();
    let mut watch = Watch::new(&connection, &session, "T", begun, deadline, true, asked);
    ends(&peer, status);
    assert!(
        watch
            .until(deadline, |watch| !watch.leaving.is_empty())
            .await
    );
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
