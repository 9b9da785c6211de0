//! Viewers that are there no more, without having said so.

use std::time::Duration;

use serde_json::json;
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;
use crate::testing::{PAGE, Scripted, browser};

/// A viewer who may approve calls, and their end of the connection, which holds a few messages.
async fn viewer(scripted: &Scripted) -> (WebSocketStream<DuplexStream>, JoinHandle<()>) {
    let keeper = &scripted.keeper;
    let handoffs = &keeper.handoffs;
    let handoff = handoffs.begin(keeper, "t1".to_owned(), "look".to_owned());
    let handoff = handoff.await.unwrap();
    let (theirs, ours) = tokio::io::duplex(4096);
    let ours = WebSocketStream::from_raw_socket(ours, Role::Server, None).await;
    let theirs = WebSocketStream::from_raw_socket(theirs, Role::Client, None).await;
    let shown = tokio::spawn(show(ours, Arc::clone(keeper), handoff, true));
    tokio::task::yield_now().await;
    assert!(handoffs.somebody_decides());
    (theirs, shown)
}

async fn scripted() -> Scripted {
    Scripted::on(browser(json!({}))).await
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_reads_no_pictures_decides_nothing() {
    let scripted = scripted().await;
    let (_theirs, shown) = viewer(&scripted).await;
    scripted.peer.call("Page.startScreencast", 1).await.unwrap();
    let picture = json!({"data": "A".repeat(1 << 16), "sessionId": 1, "metadata": {}});
    scripted
        .peer
        .event(Some(PAGE), "Page.screencastFrame", picture);
    let ended = timeout(UNREAD + Duration::from_secs(1), shown).await;
    assert!(ended.is_ok(), "it is waited for");
    assert!(!scripted.keeper.handoffs.somebody_decides());
    assert!(scripted.keeper.clients.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_does_not_answer_is_gone() {
    let scripted = scripted().await;
    let (_theirs, shown) = viewer(&scripted).await;
    let ended = timeout(PING * (UNANSWERED + 1) + Duration::from_secs(1), shown).await;
    assert!(ended.is_ok(), "it is waited for");
    assert!(!scripted.keeper.handoffs.somebody_decides());
}

#[tokio::test(start_paused = true)]
async fn a_viewer_that_only_looks_stays() {
    let scripted = scripted().await;
    let (mut theirs, shown) = viewer(&scripted).await;
    let looks = async { while let Some(Ok(_)) = theirs.next().await {} };
    let left = timeout(Duration::from_secs(600), looks).await;
    assert!(left.is_err() && !shown.is_finished());
    assert!(scripted.keeper.handoffs.somebody_decides());
}
