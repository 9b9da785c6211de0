//! Documents that come, fail, or stand still, on a scripted browser.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use szk_cdp::testing::{Answer, Peer, Script};

use super::*;
use crate::testing;

fn arrival(milestone: Milestone) -> (Arrival<Arc<()>>, Arc<()>, Peer) {
    let (page, peer) = testing::page(testing::pages());
    let left = Arc::new(());
    let arrival = Arrival::watch(&Worlds::default(), &page, milestone, Arc::clone(&left));
    (arrival, left, peer)
}

fn say(peer: &Peer, method: &str, params: Value) {
    peer.event(Some("S"), method, params);
}

fn commit(peer: &Peer, frame: &str, loader: &str) {
    let frame = json!({"id": frame, "loaderId": loader});
    say(peer, "Page.frameNavigated", json!({"frame": frame}));
}

fn lifecycle(peer: &Peer, frame: &str, loader: &str, name: &str) {
    let params = json!({"frameId": frame, "loaderId": loader, "name": name});
    say(peer, "Page.lifecycleEvent", params);
}

async fn reached(arrival: &mut Arrival<Arc<()>>) -> Result<End, WatchError> {
    let document = Awaited {
        loader: "L".to_owned(),
        committed: false,
    };
    let never = pin!(std::future::pending());
    arrival.reached(document, never).await
}

// The clock is paused: it jumps when everybody waits.
#[tokio::test(start_paused = true)]
async fn only_the_milestone_of_the_awaited_document_counts() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    // Told again of the document before, of a frame, and of an earlier milestone.
    lifecycle(&peer, "T", "old", "load");
    commit(&peer, "F", "L");
    commit(&peer, "T", "L");
    lifecycle(&peer, "F", "L", "load");
    lifecycle(&peer, "T", "L", "DOMContentLoaded");
    let more = Box::pin(reached(&mut arrival));
    let waits = tokio::time::timeout(Duration::from_secs(1), more).await;
    assert!(waits.is_err(), "{waits:?}");
    lifecycle(&peer, "T", "L", "load");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
}

#[tokio::test]
async fn a_page_that_goes_on_is_followed() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    commit(&peer, "T", "L");
    commit(&peer, "T", "M");
    lifecycle(&peer, "T", "L", "load");
    lifecycle(&peer, "T", "M", "load");
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    // The event of the first document was not taken for it.
    let (method, _) = arrival.next().await.unwrap();
    assert_eq!(method, "Page.frameStoppedLoading");
}

/// The status is that of the document that came, whatever else was answered meanwhile.
#[tokio::test]
async fn the_status_is_the_documents_own() {
    let answered = |peer: &Peer, frame: &str, id: &str, kind: &str, status: u16| {
        let params = json!({"requestId": id, "frameId": frame, "type": kind, "response": {"status": status}});
        say(peer, "Network.responseReceived", params);
    };
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    answered(&peer, "T", "L", "Document", 404);
    commit(&peer, "T", "L");
    answered(&peer, "F", "frame", "Document", 200);
    answered(&peer, "T", "picture", "Image", 200);
    lifecycle(&peer, "T", "L", "load");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    let mut arrived = arrival.end();
    assert_eq!(arrived.status, Some(404));
    // The browser's process knows the rest: a world would only hold the document up.
    assert!(arrived.ahead.join_next().await.is_none());
    assert_eq!(peer.methods().len(), 0);
}

#[tokio::test]
async fn a_document_that_no_server_answered_has_no_status() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    let before = json!({"requestId": "old", "frameId": "T", "type": "Document", "response": {"status": 200}});
    say(&peer, "Network.responseReceived", before);
    commit(&peer, "T", "L");
    lifecycle(&peer, "T", "L", "load");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    assert_eq!(arrival.end().status, None);
}

#[tokio::test]
async fn a_commit_is_enough_if_nothing_more_is_wanted() {
    let (mut arrival, left, peer) = arrival(Milestone::Commit);
    assert_eq!(Arc::strong_count(&left), 2);
    commit(&peer, "T", "L");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    assert_eq!(Arc::strong_count(&left), 1, "the document before is gone");
}

#[tokio::test]
async fn a_document_whose_request_fails_is_stopped_unless_the_frame_loads_on() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    say(&peer, "Network.loadingFailed", json!({"requestId": "L"}));
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "F"}));
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    assert_eq!(reached(&mut arrival).await, Ok(End::Stopped));
}

#[tokio::test]
async fn the_failure_of_a_resource_ends_nothing() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    commit(&peer, "T", "L");
    say(&peer, "Network.loadingFailed", json!({"requestId": "R"}));
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    lifecycle(&peer, "T", "L", "load");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    assert_eq!(arrival.end().broke_off, None);
}

/// Its events never come: what is there of it is all.
#[tokio::test]
async fn a_document_that_breaks_off_has_come_as_far_as_it_will() {
    let text = "net::ERR_CONTENT_LENGTH_MISMATCH";
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    let answered =
        json!({"requestId": "L", "frameId": "T", "type": "Document", "response": {"status": 200}});
    say(&peer, "Network.responseReceived", answered);
    commit(&peer, "T", "L");
    let failed = json!({"requestId": "L", "errorText": text});
    say(&peer, "Network.loadingFailed", failed);
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "F"}));
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    let arrived = arrival.end();
    assert_eq!(
        (arrived.broke_off.as_deref(), arrived.status),
        (Some(text), Some(200))
    );
}

/// One that the page leaves for another is not waited for either, and the next one counts.
#[tokio::test]
async fn a_document_that_is_stopped_for_the_next_one_has_not_broken_off() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    commit(&peer, "T", "L");
    let failed = json!({"requestId": "L", "errorText": "net::ERR_ABORTED", "canceled": true});
    say(&peer, "Network.loadingFailed", failed);
    say(&peer, "Page.frameStoppedLoading", json!({"frameId": "T"}));
    commit(&peer, "T", "M");
    lifecycle(&peer, "T", "M", "load");
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    assert_eq!(arrival.end().broke_off, None);
}

#[tokio::test(start_paused = true)]
async fn a_dialog_ends_the_wait_only_in_the_new_document() {
    let awaited = |committed| Awaited {
        loader: "L".to_owned(),
        committed,
    };
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    let dialog = pin!(async {});
    assert_eq!(arrival.reached(awaited(true), dialog).await, Ok(End::There));
    let dialog = pin!(async {});
    let waits = arrival.reached(awaited(false), dialog);
    let waits = tokio::time::timeout(Duration::from_secs(1), Box::pin(waits)).await;
    assert!(waits.is_err(), "that of the old document: {waits:?}");
    drop(peer);
}

#[tokio::test]
async fn tabs_that_close_and_browsers_that_end_end_the_wait() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    peer.detach(None, "other");
    peer.detach(None, "S");
    assert_eq!(reached(&mut arrival).await, Err(WatchError::TabClosed));
    peer.close();
    assert_eq!(reached(&mut arrival).await, Err(WatchError::BrowserEnded));
}

/// What a move in the history brings that is told by this event.
async fn next(method: &str, params: Value) -> Next {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    // Of a frame.
    commit(&peer, "F", "X");
    say(
        &peer,
        "Page.navigatedWithinDocument",
        json!({"frameId": "F"}),
    );
    say(&peer, "Page.downloadWillBegin", json!({"frameId": "F"}));
    say(&peer, method, params);
    arrival.next_document(None).await.unwrap()
}

/// Both entries of the history have the same page, and a frame of it at different addresses: no event is about the page.
#[tokio::test(start_paused = true)]
async fn a_move_of_a_frame_alone_ends_once_the_tab_is_at_the_entry() {
    const HISTORY: &str = "Page.getNavigationHistory";
    let at = |index: u32| {
        let list = json!({"currentIndex": index, "entries": [{"id": 10}, {"id": 11}]});
        Answer::ok(list)
    };
    let tree = json!({"frameTree": {"frame": {"id": "T", "loaderId": "L", "url": "http://a/"}}});
    let script = Script::new()
        .nth(HISTORY, 1, at(1))
        .answer(HISTORY, at(0))
        .answer("Page.getFrameTree", tree);
    let (page, peer) = testing::page(script);
    let mut arrival = Arrival::watch(&Worlds::default(), &page, Milestone::Load, ());
    commit(&peer, "F", "X");
    assert_eq!(arrival.next_document(Some(10)).await, Ok(Next::Within));
}

/// The document in the cache had its events before.
#[tokio::test(start_paused = true)]
async fn a_document_that_goes_back_at_once_is_followed_into_the_cache() {
    let (mut arrival, _left, peer) = arrival(Milestone::Load);
    commit(&peer, "T", "L");
    let frame = json!({"id": "T", "loaderId": "K", "url": "http://a/before"});
    let restored = json!({"frame": frame, "type": "BackForwardCacheRestore"});
    say(&peer, "Page.frameNavigated", restored);
    assert_eq!(reached(&mut arrival).await, Ok(End::There));
    let arrived = arrival.end();
    assert_eq!(arrived.url.as_deref(), Some("http://a/before"));
}

#[tokio::test]
async fn moves_in_the_history_bring_documents_of_four_kinds_or_none() {
    let navigated = "Page.frameNavigated";
    let frame = json!({"id": "T", "loaderId": "L"});
    let loaded = next(navigated, json!({"frame": frame})).await;
    assert_eq!(loaded, Next::Document("L".to_owned()));
    let restored = json!({"frame": frame, "type": "BackForwardCacheRestore"});
    assert_eq!(next(navigated, restored).await, Next::Restored);
    let error = json!({"frame": {"id": "T", "loaderId": "L", "unreachableUrl": "http://a/"}});
    let unreachable = next(navigated, error).await;
    assert_eq!(unreachable, Next::Unreachable("http://a/".to_owned()));
    let within = next("Page.navigatedWithinDocument", json!({"frameId": "T"})).await;
    assert_eq!(within, Next::Within);
    let response = json!({"url": "http://a/empty", "status": 204});
    let empty = json!({"requestId": "R", "frameId": "T", "type": "Document", "response": response});
    let nothing = next("Network.responseReceived", empty).await;
    assert_eq!(nothing, Next::Nothing("http://a/empty".to_owned()));
    let file = json!({"frameId": "T", "url": "http://a/file", "suggestedFilename": "f"});
    let download = next("Page.downloadWillBegin", file).await;
    assert_eq!(download, Next::Download);
}

#[tokio::test]
async fn a_document_is_read_while_it_loads() {
    let said = json!({"url": "http://a/", "title": "A", "status": 200});
    let script = Script::new()
        .answer("Page.createIsolatedWorld", json!({"executionContextId": 7}))
        .answer(
            "Runtime.evaluate",
            json!({"result": {"objectId": "w", "value": said}}),
        );
    let (page, peer) = testing::page(script);
    let mut arrival = Arrival::watch(&Worlds::default(), &page, Milestone::Load, ());
    commit(&peer, "T", "L");
    lifecycle(&peer, "T", "L", "load");
    let never = pin!(std::future::pending());
    let document = Awaited {
        loader: "L".to_owned(),
        committed: false,
    };
    assert_eq!(arrival.reached(document, never).await, Ok(End::There));
    let read = arrival
        .end()
        .ahead
        .join_next()
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!((read.title.as_str(), read.status()), ("A", Some(200)));
    // It waits for the event of the page.
    let asked = peer.calls().pop().unwrap();
    assert!(
        asked.params["expression"]
            .as_str()
            .unwrap()
            .ends_with("(\"load\")")
    );
}
