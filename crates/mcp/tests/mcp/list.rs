//! The tools as clients see them.

use serde_json::{Value, json};

use super::fake::Fake;
use super::peer::Peer;

async fn list() -> Value {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.request(1, "tools/list", json!({}));
    peer.next().await["result"].take()
}

#[tokio::test]
async fn the_list_is_the_committed_one() {
    let list = list().await;
    insta::assert_snapshot!("tools", serde_json::to_string_pretty(&list).unwrap());
}

/// What every client reads before it does anything.
#[tokio::test]
async fn the_list_stays_small() {
    let list = list().await;
    let tools = list["tools"].as_array().unwrap();
    let each = list.to_string().len() / tools.len();
    assert!(each < 2200, "{each} bytes a tool");
}

#[tokio::test]
async fn every_tool_is_complete() {
    for tool in list().await["tools"].as_array().unwrap() {
        for key in ["name", "title", "description"] {
            assert!(tool[key].is_string(), "{tool}");
        }
        for key in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[key]["type"], "object", "{tool}");
        }
        for hint in ["readOnly", "destructive", "idempotent", "openWorld"] {
            assert!(
                tool["annotations"][format!("{hint}Hint")].is_boolean(),
                "{tool}"
            );
        }
    }
}

#[tokio::test]
async fn there_is_no_second_page() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.request(1, "tools/list", json!({"cursor": "x"}));
    assert_eq!(peer.next().await["error"]["code"], -32602);
}
