//! Batches, which protocol 2025-03-26 requires servers to accept.

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::Peer;

fn call(id: i64, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool}})
}

#[tokio::test]
async fn a_batch_is_answered_in_one_array_when_all_is_done() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-03-26").await;
    peer.send(&json!([
        call(1, "session_endpoint"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        call(2, "session_list"),
        {"nonsense": true},
        call(3, "session_close"),
    ]));
    fake.until_running(1).await;
    peer.lives().await;
    fake.release.notify_one();
    // The batch does not wait for a cancelled request.
    peer.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3},
    }));
    let answer = peer.next().await;
    let mut ids: Vec<String> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].to_string())
        .collect();
    ids.sort();
    assert_eq!(ids, ["1", "2", "null"], "{answer}");
    peer.lives().await;
}

#[tokio::test]
async fn empty_batches_are_refused_and_notifications_not_answered() {
    let mut peer = Peer::open(&Fake::new(), "2025-03-26").await;
    peer.send(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]));
    peer.send(&json!([]));
    let answer = peer.next().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    peer.send(&json!([1]));
    let answer = peer.next().await;
    assert_eq!(answer[0]["error"]["code"], -32600, "{answer}");
    peer.lives().await;
}
