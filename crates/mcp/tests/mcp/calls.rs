//! Calls: answers, failures, progress, cancellation.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::Peer;

async fn result(tool: &str, arguments: Value) -> Value {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.call(1, tool, arguments);
    let mut answer = peer.next().await;
    assert_eq!(answer["id"], 1, "{answer}");
    peer.lives().await;
    answer["result"].take()
}

#[tokio::test]
async fn an_answer_is_text_and_data() {
    let found = result("session_list", json!({"open_only": true})).await;
    assert_eq!(
        found,
        json!({
            "content": [{"type": "text", "text": "`session_list` is done"}],
            "structuredContent": {"input": {"open_only": true}},
            "isError": false,
        })
    );
}

#[tokio::test]
async fn a_picture_is_image_content() {
    let found = result("browser_screenshot", json!({})).await;
    assert_eq!(
        found["content"][1],
        json!({"type": "image", "data": "iVBORw0=", "mimeType": "image/png"})
    );
}

#[tokio::test]
async fn older_generations_get_the_data_as_text_too() {
    let mut peer = Peer::open(&Fake::new(), "2024-11-05").await;
    peer.call(1, "session_list", json!({}));
    let found = peer.next().await;
    assert_eq!(found["result"]["content"][1]["text"], r#"{"input":{}}"#);
}

#[tokio::test]
async fn a_failure_is_a_failed_result() {
    let found = result("browser_navigate", json!({"url": "x"})).await;
    assert_eq!(found["isError"], true);
    assert_eq!(
        found["content"][0]["text"],
        "NAVIGATION_FAILED: `x` does not load\nhint: check the URL\neffect: done (only what followed failed)"
    );
    let failure = &found["_meta"]["szk/failure"];
    assert_eq!(failure["code"], "NAVIGATION_FAILED");
    assert_eq!(failure["effect"], "done");
    assert!(found.get("structuredContent").is_none());
}

#[tokio::test]
async fn wrong_arguments_are_a_failed_result_and_reach_nobody() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    peer.call(1, "session_open", json!({"sesion": "a"}));
    let found = peer.next().await;
    assert_eq!(found["result"]["isError"], true);
    let text = found["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("INVALID_INPUT: "), "{text}");
    assert!(text.contains("did you mean `session`?"), "{text}");
    assert_eq!(fake.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_with_the_nearest_name() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.call(1, "session_opne", json!({}));
    let error = &peer.next().await["error"];
    assert_eq!(error["code"], -32602);
    let text = error["message"].as_str().unwrap();
    assert!(
        text.contains("`session_opne`") && text.contains("`session_open`"),
        "{text}"
    );
}

#[tokio::test]
async fn a_panic_is_an_answer_too() {
    let found = result("browser_run_code", json!({"code": "1"})).await;
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("INTERNAL: `browser_run_code` panicked: on purpose"),
        "{text}"
    );
}

#[tokio::test]
async fn progress_is_told_to_who_asked_in_order_and_before_the_answer() {
    for token in [json!("tok"), json!(7)] {
        let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
        peer.request(
            1,
            "tools/call",
            json!({"name": "session_open", "_meta": {"progressToken": token}}),
        );
        for (progress, message) in [(1.0, "starting"), (2.0, "started")] {
            let note = peer.next().await;
            assert_eq!(note["method"], "notifications/progress", "{note}");
            let expected = json!({"progressToken": token, "progress": progress, "total": 2.0, "message": message});
            assert_eq!(note["params"], expected);
        }
        assert_eq!(peer.next().await["id"], 1);
    }
}

#[tokio::test]
async fn who_did_not_ask_gets_log_messages_until_they_say_otherwise() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.call(1, "session_open", json!({}));
    for (done, message) in [(1, "starting"), (1, "again"), (2, "started")] {
        let note = peer.next().await;
        assert_eq!(note["method"], "notifications/message", "{note}");
        let data = json!({"message": message, "done": done, "total": 2});
        let expected = json!({"level": "info", "logger": "session_open", "data": data});
        assert_eq!(note["params"], expected);
    }
    assert_eq!(peer.next().await["id"], 1);
    for (id, level, messages) in [(2, "warning", 0), (4, "debug", 3), (6, "error", 0)] {
        peer.request(id, "logging/setLevel", json!({"level": level}));
        assert_eq!(peer.next().await["id"], id);
        peer.call(id + 1, "session_open", json!({}));
        for _ in 0..messages {
            assert_eq!(peer.next().await["method"], "notifications/message");
        }
        assert_eq!(peer.next().await["id"], id + 1, "{level}");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_not_answered() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    peer.call("slow", "session_close", json!({}));
    peer.call("other", "session_close", json!({}));
    fake.until_running(2).await;
    peer.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "slow", "reason": "changed my mind"},
    }));
    fake.until_running(1).await;
    peer.lives().await;
}

#[tokio::test]
async fn calls_do_not_wait_for_each_other() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    peer.call(1, "session_endpoint", json!({}));
    peer.call(2, "session_list", json!({}));
    assert_eq!(peer.next().await["id"], 2);
    fake.release.notify_one();
    assert_eq!(peer.next().await["id"], 1);
}
