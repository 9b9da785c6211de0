//! Nothing a client sends ends the server, and whatever can be answered is.

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::Peer;

async fn refused(line: &[u8], before_handshake: bool) -> Value {
    let fake = Fake::new();
    let mut peer = Peer::start(&fake);
    if !before_handshake {
        peer.initialize("2025-11-25").await;
    }
    peer.raw(line);
    peer.raw(b"\n");
    let answer = peer.next().await;
    if before_handshake {
        peer.initialize("2025-11-25").await;
    }
    peer.lives().await;
    answer
}

/// Checks the error that a line gets, before and after the handshake.
async fn check(line: impl AsRef<[u8]>, code: i64, id: Value) {
    let line = line.as_ref();
    for before_handshake in [true, false] {
        let answer = refused(line, before_handshake).await;
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
        assert_eq!(answer["error"]["code"], code, "{shown}\n{answer}");
        assert_eq!(answer.get("id"), Some(&id), "{shown}\n{answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn what_is_no_json() {
    check("{oops", -32700, Value::Null).await;
    check("hello", -32700, Value::Null).await;
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping""#,
        -32700,
        Value::Null,
    )
    .await;
}

#[tokio::test]
async fn what_is_no_utf8() {
    check(b"\xff\xfe\x00{}", -32700, Value::Null).await;
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}",
        -32700,
        Value::Null,
    )
    .await;
}

#[tokio::test]
async fn what_nests_too_deep() {
    check("[".repeat(100_000), -32700, Value::Null).await;
}

#[tokio::test]
async fn a_line_of_20_megabytes() {
    check("x".repeat(20 << 20), -32600, Value::Null).await;
}

#[tokio::test]
async fn a_request_of_20_megabytes_is_told_by_its_id() {
    let long = "x".repeat(20 << 20);
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"x":"{long}"}}}}"#),
        format!(r#"{{"method":"tools/call","params":{{"x":"{long}"}},"jsonrpc":"2.0","id":5}}"#),
    ] {
        check(line, -32600, json!(5)).await;
    }
}

#[tokio::test]
async fn what_is_no_message() {
    for line in ["5", "null", "\"text\"", "{}", r#"{"jsonrpc":"2.0","id":1}"#] {
        check(line, -32600, Value::Null).await;
    }
    check(r#"{"id":4,"method":"ping"}"#, -32600, json!(4)).await;
}

#[tokio::test]
async fn ids_of_odd_types() {
    for id in ["null", "1.5", "false", "[]", "{}", "9223372036854775808"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        check(line, -32600, Value::Null).await;
    }
}

#[tokio::test]
async fn ids_of_allowed_types_come_back_as_they_were() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    for id in [json!(0), json!(-5), json!(i64::MAX), json!(""), json!("ü1")] {
        peer.request(id.clone(), "ping", json!({}));
        assert_eq!(peer.next().await["id"], id);
    }
}

#[tokio::test]
async fn arrays_in_a_generation_without_batches() {
    check("[]", -32600, Value::Null).await;
    check(
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        -32600,
        Value::Null,
    )
    .await;
}

#[tokio::test]
async fn params_of_the_wrong_type() {
    for params in [json!([1]), json!("a"), json!({}), json!({"name": 5})] {
        let line = json!({"jsonrpc": "2.0", "id": "p", "method": "tools/call", "params": params});
        check(line.to_string(), -32602, json!("p")).await;
    }
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    check(line.to_string(), -32602, json!(1)).await;
}

#[tokio::test]
async fn a_method_nobody_has() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    for method in ["nonsense", "logging/nothing", "tools/nothing"] {
        peer.request(1, method, json!({"level": "info", "name": "x"}));
        assert_eq!(peer.next().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn a_second_request_with_an_id_in_flight() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    peer.call(1, "session_endpoint", json!({}));
    peer.call(1, "session_list", json!({}));
    let refused = peer.next().await;
    assert_eq!(refused["error"]["code"], -32600);
    assert_eq!(refused["id"], Value::Null);
    fake.release.notify_one();
    let answer = peer.next().await;
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["isError"], false);
}

#[tokio::test]
async fn what_wants_no_answer_gets_none() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    for line in [
        "",
        "   \r",
        r#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"echo"}}"#,
    ] {
        peer.raw(format!("{line}\n").as_bytes());
    }
    peer.lives().await;
}

#[tokio::test]
async fn half_an_emoji_is_mended() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.raw(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_delete","arguments":{"session":"a\ud83d"}}}"#);
    peer.raw(b"\r\n");
    let answer = peer.next().await;
    assert_eq!(
        answer["result"]["structuredContent"]["input"]["session"],
        "a\u{fffd}"
    );
}
