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
    let list = list_of(&["all"]).await;
    insta::assert_snapshot!("tools", serde_json::to_string_pretty(&list).unwrap());
}

/// What every client reads before it does anything else.
#[tokio::test]
async fn the_list_stays_small() {
    let size = |list: &Value| list.to_string().len();
    let (usual, all) = (list_of(&[]).await, list_of(&["all"]).await);
    assert!(size(&usual) < 15_000, "{} bytes", size(&usual));
    // The full text of all of them: nothing truncates a description.
    assert!(size(&all) < 30_000, "{} bytes", size(&all));
    let test = list_of(&["test"]).await;
    assert!(size(&test) < 3_500, "{} bytes", size(&test));
    let count = |list: &Value| list["tools"].as_array().unwrap().len();
    assert_eq!(count(&all), szk_tools::specs().len(), "all is everything");
}

/// Checks what every list says about a tool, however long the list: its title, every sentence, every
/// field.
#[track_caller]
fn check_whole(tool: &Value) {
    assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    assert!(tool["annotations"].is_object(), "{tool}");
    let spec = szk_tools::find(tool["name"].as_str().unwrap()).unwrap();
    assert_eq!(tool["title"], spec.title, "{tool}");
    assert_eq!(tool["description"], spec.summary, "{tool}");
    let input = (spec.input)();
    let fields = |schema: &Value| {
        let fields = schema["properties"].as_object().unwrap();
        fields.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(fields(&tool["inputSchema"]), fields(&input), "{tool}");
    for (name, field) in tool["inputSchema"]["properties"].as_object().unwrap() {
        let told = input["properties"][name]["description"].as_str();
        match field["description"].as_str() {
            // Only the final full stop may be missing.
            Some(text) => {
                assert!(told.unwrap().trim_end_matches('.') == text.trim_end_matches('.'))
            }
            // Said once for all tools, in the server's instructions.
            None => assert!(
                ["session", "tab", "timeout_ms"].contains(&name.as_str()) || told.is_none(),
                "`{name}` of {tool}"
            ),
        }
    }
}

#[tokio::test]
async fn every_tool_is_complete() {
    for (set, _) in szk_tools::SETS {
        let list = list_of(&[set]).await;
        let tools = list["tools"].as_array().unwrap();
        assert!(!tools.is_empty(), "{set}");
        tools.iter().for_each(check_whole);
    }
    let usual = list_of(&[]).await;
    assert_eq!(usual, list_of(&["default"]).await);
}

#[tokio::test]
async fn there_is_no_second_page() {
    let mut peer = Peer::open(&Fake::new(), "2025-11-25").await;
    peer.request(1, "tools/list", json!({"cursor": "x"}));
    assert_eq!(peer.next().await["error"]["code"], -32602);
}
