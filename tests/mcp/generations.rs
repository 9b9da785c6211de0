//! Every protocol generation, from the handshake to a call with a browser.

use serde_json::{Value, json};

use crate::harness::mcp::success;
use crate::harness::{Mcp, TestEnv};

/// The tools listed by default, in order.
const TOOLS: [&str; 14] = [
    "session_open",
    "session_close",
    "session_list",
    "session_endpoint",
    "workflow_login",
    "workflow_fill_form",
    "browser_navigate",
    "browser_snapshot",
    "browser_find",
    "browser_extract",
    "browser_act",
    "browser_run_code",
    "browser_screenshot",
    "browser_tabs",
];

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn initialize_in_all_generations_that_have_it() {
    let env = TestEnv::new();
    env.open("work");
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut mcp = Mcp::open(env.szk(["mcp"]), version);
        let id = mcp.request("tools/list", json!({}));
        let answer = mcp.answer(id);
        let names: Vec<&str> = answer["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, TOOLS, "{version}");
        let result = mcp.call(
            "browser_run_code",
            json!({"session": "work", "code": "6 * 7"}),
        );
        assert_eq!(result["isError"], false, "{version} {result:#}");
        assert!(
            result["content"].to_string().contains("42"),
            "{version} {result:#}"
        );
        mcp.leave();
    }
}

#[test]
fn the_newest_generation_has_no_handshake() {
    let env = TestEnv::new();
    let mut mcp = Mcp::start(env.szk(["mcp"]));
    let id = mcp.request("server/discover", json!({"_meta": meta("2026-07-28")}));
    let found = mcp.answer(id);
    assert!(
        found["result"]["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{found:#}"
    );
    let call = json!({"name": "session_open", "arguments": {"session": "work"}, "_meta": meta("2026-07-28")});
    let id = mcp.request("tools/call", call);
    assert_eq!(success(&mcp.answer(id)["result"])["started"], "started");
    mcp.leave();
}

#[test]
fn tools_say_what_they_do_and_what_they_may_change() {
    let env = TestEnv::new();
    let mut mcp = Mcp::open(env.szk(["mcp", "--tools", "all"]), "2025-11-25");
    let id = mcp.request("tools/list", json!({}));
    let answer = mcp.answer(id);
    for tool in answer["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool:#}");
        assert!(tool["annotations"].is_object(), "{tool:#}");
    }
    let hint = |name: &str, hint: &str| {
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"][hint].clone()
    };
    assert_eq!(hint("session_list", "readOnlyHint"), true);
    assert_eq!(hint("session_delete", "destructiveHint"), true);
    assert_eq!(hint("session_open", "destructiveHint"), false);
}
