//! The tools as clients see them.

use serde_json::{Value, json};

use szk_mcp::Tools;

use super::fake::Fake;
use super::peer::Peer;

async fn list_of(names: &[&str]) -> Value {
    let tools = if names.is_empty() {
        Tools::usual()
    } else {
        Tools::only(names)
    };
    let mut peer = Peer::with(&Fake::new(), tools.unwrap());
    peer.initialize("2025-11-25").await;
    peer.request(1, "tools/list", json!({}));
    peer.next().await["result"].take()
}

#[tokio::test]
async fn the_list_is_the_committed_one() {
    let list = list_of(&["all", "workflow"]).await;
    insta::assert_snapshot!("tools", serde_json::to_string_pretty(&list).unwrap());
}

/// What every client reads before it does anything.
#[tokio::test]
async fn the_list_stays_small() {
    let size = |list: &Value| list.to_string().len();
    let (usual, all) = (list_of(&[]).await, list_of(&["all"]).await);
    assert!(size(&usual) < 12_000, "{} bytes", size(&usual));
    assert!(size(&all) < 20_000, "{} bytes", size(&all));
}

#[tokio::test]
async fn every_tool_is_complete() {
    for tool in list_of(&["all", "workflow"]).await["tools"]
        .as_array()
        .unwrap()
    {
        for key in ["name", "title", "description"] {
            assert!(tool[key].is_string(), "{tool}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"].is_object(), "{tool}");
    }
}

#[tokio::test]
async fn there_is_no_second_page() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.request(1, "tools/list", json!({"cursor": "x"}));
    assert_eq!(peer.next().await["error"]["code"], -32602);
}
