//! How each protocol generation starts.

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::Peer;

/// The `_meta` that 2026-07-28 requires in every request.
fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[track_caller]
fn check_server(info: &Value, has_icon: bool) {
    assert_eq!(info["name"], "szk");
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert!(info["title"].is_string());
    let icon = info["icons"][0]["src"].as_str();
    assert_eq!(
        icon.is_some_and(|icon| icon.starts_with("data:image/svg+xml,")),
        has_icon,
        "{info}"
    );
}

async fn check(version: &str, agreed: &str) {
    let mut peer = Peer::start(&Fake::new());
    let answer = peer.initialize(version).await;
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], agreed, "{answer}");
    assert_eq!(
        result["capabilities"],
        json!({"logging": {}, "prompts": {}, "resources": {"subscribe": true, "listChanged": true}, "tools": {}})
    );
    check_server(&result["serverInfo"], agreed == "2025-11-25");
    let instructions = result["instructions"].as_str().unwrap();
    assert!(instructions.contains("session_open") && instructions.contains("untrusted"));
    assert!(instructions.len() < 1200, "{}", instructions.len());
    assert!(result.get("resultType").is_none());
    peer.lives().await;
}

#[tokio::test]
async fn initialize_agrees_on_every_generation_that_has_it() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        check(version, version).await;
    }
}

#[tokio::test]
async fn initialize_offers_the_newest_of_them_otherwise() {
    for version in ["2026-07-28", "2099-01-01", "1.0"] {
        check(version, "2025-11-25").await;
    }
}

#[tokio::test]
async fn the_whole_handshake_may_come_in_one_write() {
    let mut peer = Peer::start(&Fake::new());
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    peer.raw(lines.map(|line| format!("{line}\n")).concat().as_bytes());
    assert_eq!(peer.next().await["id"], 1);
    assert_eq!(peer.next().await["id"], 2);
}

#[tokio::test]
async fn the_2026_generation_discovers_and_calls_without_a_handshake() {
    let mut peer = Peer::start(&Fake::new());
    peer.request(1, "server/discover", json!({"_meta": modern()}));
    let found = peer.next().await;
    let result = &found["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["capabilities"],
        json!({
            "extensions": {"io.modelcontextprotocol/skills": {}, "io.modelcontextprotocol/tasks": {}},
            "prompts": {}, "resources": {"subscribe": true, "listChanged": true}, "tools": {},
        })
    );
    let versions = result["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.len() == 5);
    check_server(&result["_meta"]["io.modelcontextprotocol/serverInfo"], true);
    assert!(result["instructions"].is_string());

    peer.request(2, "tools/list", json!({"_meta": modern()}));
    let list = peer.next().await;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["cacheScope"], "public");
    assert!(list["result"]["ttlMs"].as_u64().unwrap() > 0);

    // Open sessions and their recipes may change at any moment.
    for (method, lasts) in [
        ("prompts/list", false),
        ("resources/templates/list", true),
        ("resources/list", false),
    ] {
        peer.request(method, method, json!({"_meta": modern()}));
        let list = peer.next().await;
        let fresh = list["result"]["ttlMs"].as_u64();
        assert_eq!(fresh.map(|fresh| fresh > 0), Some(lasts), "{list}");
    }

    let params = json!({"name": "session_list", "arguments": {}, "_meta": modern()});
    peer.request(3, "tools/call", params);
    let call = peer.next().await;
    assert_eq!(call["result"]["resultType"], "complete");
    assert_eq!(call["result"]["structuredContent"], json!({"input": {}}));
}

#[tokio::test]
async fn the_first_request_of_the_2026_generation_may_be_a_call() {
    let mut peer = Peer::start(&Fake::new());
    peer.request(
        "a",
        "tools/call",
        json!({"name": "session_list", "_meta": modern()}),
    );
    assert_eq!(peer.next().await["result"]["isError"], false);
    // In such a session every request must carry it.
    peer.request("b", "tools/list", json!({}));
    assert_eq!(peer.next().await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_that_probes_may_still_initialize() {
    let mut peer = Peer::start(&Fake::new());
    peer.request(1, "server/discover", json!({"_meta": modern()}));
    assert!(peer.next().await["result"].is_object());
    let answer = peer.initialize("2025-11-25").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    peer.lives().await;
}

#[tokio::test]
async fn a_version_nobody_knows_is_refused_with_those_we_know() {
    let mut peer = Peer::start(&Fake::new());
    let mut meta = modern();
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    peer.request(1, "tools/list", json!({"_meta": meta}));
    let answer = peer.next().await;
    assert_eq!(answer["id"], 1);
    assert!(answer["error"]["data"]["supported"].is_array(), "{answer}");
    // It did not open the session: a notification now must not end the server.
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    peer.initialize("2025-11-25").await;
    peer.lives().await;
}

#[tokio::test]
async fn before_the_handshake_there_are_pings_and_nothing_else() {
    let mut peer = Peer::start(&Fake::new());
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    peer.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    peer.request(1, "ping", json!({}));
    let pong = peer.next().await;
    assert_eq!((&pong["id"], &pong["result"]), (&json!(1), &json!({})));
    peer.call(2, "session_list", json!({}));
    let refused = peer.next().await;
    assert_eq!(refused["id"], 2);
    assert_eq!(refused["error"]["code"], -32600);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("initialize")
    );
    peer.request(3, "server/discover", json!({}));
    assert_eq!(peer.next().await["error"]["code"], -32602);
    peer.initialize("2025-06-18").await;
    peer.lives().await;
}
