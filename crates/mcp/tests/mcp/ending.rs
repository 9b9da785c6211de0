//! How the server ends: at once, after sending the answers that are ready.

use std::time::{Duration, Instant};

use serde_json::json;
use szk_mcp::{ServeError, Signal};

use super::fake::Fake;
use super::peer::Peer;

/// The promise is about 100 ms; the rest allows for a machine busy with other tests. The protocol
/// library on its own would wait 5 s.
const AT_ONCE: Duration = Duration::from_secs(2);

#[tokio::test]
async fn the_end_of_the_input_ends_the_server_with_calls_in_flight() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    peer.call("slow", "session_close", json!({}));
    fake.until_running(1).await;
    let began = Instant::now();
    peer.hang_up();
    let (rest, result) = peer.end().await;
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], "slow");
    let text = rest[0]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("CANCELLED: "), "{text}");
    fake.until_running(0).await;
}

#[tokio::test]
async fn answers_that_are_ready_go_out_after_the_end_of_the_input() {
    let fake = Fake::new();
    let mut peer = Peer::open(&fake, "2025-11-25").await;
    for id in 0..5 {
        peer.call(id, "session_list", json!({}));
    }
    // The last line has no newline.
    peer.raw(
        json!({"jsonrpc": "2.0", "id": 5, "method": "ping"})
            .to_string()
            .as_bytes(),
    );
    peer.hang_up();
    let (rest, result) = peer.end().await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(rest.len(), 6, "{rest:?}");
    assert!(rest.iter().all(|answer| answer["error"].is_null()));
}

#[tokio::test]
async fn a_client_that_says_nothing_ends_the_server_too() {
    let mut peer = Peer::start(&Fake::new());
    peer.hang_up();
    let (rest, result) = peer.end().await;
    assert!(result.is_ok() && rest.is_empty(), "{rest:?} {result:?}");
}

#[tokio::test]
async fn an_error_before_the_handshake_is_written_before_the_end() {
    let mut peer = Peer::start(&Fake::new());
    peer.raw(b"{oops");
    peer.hang_up();
    let (rest, result) = peer.end().await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(rest[0]["error"]["code"], -32700);
}

#[tokio::test]
async fn signals_end_the_server_with_calls_in_flight() {
    for signal in [Signal::Terminate, Signal::Interrupt] {
        let fake = Fake::new();
        let mut peer = Peer::open(&fake, "2025-11-25").await;
        peer.call(1, "session_close", json!({}));
        fake.until_running(1).await;
        let began = Instant::now();
        peer.signal(signal);
        let (rest, result) = peer.end().await;
        assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
        assert_eq!(rest.len(), 1, "{rest:?}");
        match signal {
            Signal::Terminate => assert!(result.is_ok(), "{result:?}"),
            Signal::Interrupt => {
                let error = result.unwrap_err();
                assert!(matches!(error, ServeError::Interrupted), "{error}");
                assert_eq!(error.exit_code(), 130);
            }
        }
        fake.until_running(0).await;
    }
}

#[tokio::test]
async fn a_signal_before_the_handshake_ends_the_server() {
    let mut peer = Peer::start(&Fake::new());
    peer.signal(Signal::Terminate);
    let (rest, result) = peer.end().await;
    assert!(result.is_ok() && rest.is_empty(), "{rest:?} {result:?}");
}

#[tokio::test]
async fn a_client_that_reads_no_more_ends_the_server() {
    let (input, mut client) = std::io::pipe().unwrap();
    let (reader, output) = std::io::pipe().unwrap();
    drop(reader);
    let server = tokio::spawn(szk_mcp::serve_on(
        Fake::new(),
        szk_mcp::Tools::usual().unwrap(),
        input,
        output,
        std::future::pending(),
    ));
    std::io::Write::write_all(&mut client, b"{oops\n").unwrap();
    let result = super::peer::soon(server).await.unwrap();
    assert!(result.is_ok(), "{result:?}");
}

#[tokio::test]
async fn a_client_that_does_not_read_cannot_hold_up_the_end() {
    let fake = Fake::new();
    let (input, mut client) = std::io::pipe().unwrap();
    // Nothing reads it, so its buffer fills up.
    let (_reader, output) = std::io::pipe().unwrap();
    let server = tokio::spawn(szk_mcp::serve_on(
        fake.clone(),
        szk_mcp::Tools::usual().unwrap(),
        input,
        output,
        std::future::pending(),
    ));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let lists: String = (1..40)
        .map(|id| {
            format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
            )
        })
        .collect();
    std::io::Write::write_all(&mut client, format!("{hello}\n{lists}").as_bytes()).unwrap();
    drop(client);
    let result = super::peer::soon(server).await.unwrap();
    assert!(result.is_ok(), "{result:?}");
}
