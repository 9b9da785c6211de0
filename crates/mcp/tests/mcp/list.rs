//! The tools as clients see them.

use serde_json::{Value, json};

use szk_mcp::Tools;

use super::fake::Fake;
use super::peer::Peer;

fn chosen(names: &[&str]) -> Tools {
    match names {
        [] => Tools::usual(),
        names => Tools::only(names),
    }
    .unwrap()
}

/// The list without output schemas.
async fn list_of(names: &[&str]) -> Value {
    list(chosen(names).without_output_schemas(), "2025-11-25").await
}

async fn list(tools: Tools, version: &str) -> Value {
    let mut peer = Peer::with(&Fake::new(), tools);
    peer.initialize(version).await;
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
    for name in ["session_endpoint", "workflow_login", "workflow_fill_form"] {
        assert!(usual.to_string().contains(name), "{name} is listed");
    }
    // The full text of all of them: nothing truncates a description.
    let each = size(&all) / szk_tools::specs().len();
    assert!(each < 1000, "{each} bytes for each tool");
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
        let written = &input["properties"][name];
        let whole = written["description"].as_str().unwrap();
        match field["description"].as_str() {
            // Only the final full stop may be missing.
            Some(told) => assert!(told == whole || format!("{told}.") == whole, "{told}"),
            // Said once for all tools, in the server's instructions.
            None => assert!(
                ["session", "tab", "timeout_ms"].contains(&name.as_str()),
                "`{name}` of {tool}"
            ),
        }
        for inner in ["items", "additionalProperties"] {
            let (told, written) = (&field[inner]["description"], &written[inner]["description"]);
            assert_eq!(told, written, "`{name}` of {tool}");
        }
    }
}

/// From 2025-06-18 on a tool says what it answers, unless a switch leaves that out.
#[tokio::test]
async fn every_tool_says_what_it_answers() {
    for version in ["2025-06-18", "2025-11-25"] {
        let all = list(chosen(&["all"]), version).await;
        for tool in all["tools"].as_array().unwrap() {
            let spec = szk_tools::find(tool["name"].as_str().unwrap()).unwrap();
            assert_eq!(tool["outputSchema"], (spec.output)(), "{version}");
            assert_eq!(tool["outputSchema"]["type"], "object");
        }
    }
    for (version, tools) in [
        ("2025-03-26", chosen(&[])),
        ("2025-11-25", chosen(&[]).without_output_schemas()),
    ] {
        let list = list(tools, version).await;
        let text = list.to_string();
        assert!(!text.contains("outputSchema"), "{version}");
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
