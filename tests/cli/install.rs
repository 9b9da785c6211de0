//! `szk mcp install`, man pages and the skill file.

use std::fs;

use serde_json::Value;

use crate::harness::{Mcp, TestEnv};

#[test]
fn a_client_gets_szk_and_keeps_everything_else() {
    let env = TestEnv::new();
    let path = env.path().join("home/.cursor/mcp.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let old = "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } }\n}\n";
    fs::write(&path, old).unwrap();
    let dry = env.szk(["mcp", "install", "cursor", "--dry-run"]).ok();
    assert!(
        dry.stdout.contains("\"szk\"") && dry.stdout.contains("// mine"),
        "{dry:#?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), old);
    let done = env.szk(["mcp", "install", "cursor", "--json"]).json();
    assert_eq!(done["changed"], true);
    let backup = done["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), old);
    assert_eq!(fs::read_to_string(&path).unwrap(), dry.stdout);
    let again = env.szk(["mcp", "install", "cursor", "--json"]).json();
    assert_eq!(again["changed"], false);
    // Another store is another server of that name.
    env.szk(["mcp", "install", "cursor", "--store", "elsewhere"])
        .fails("INVALID_INPUT");
    env.szk([
        "mcp",
        "install",
        "cursor",
        "--store",
        "elsewhere",
        "--name",
        "szk2",
    ])
    .ok();
}

#[test]
fn what_is_written_starts_a_server() {
    let env = TestEnv::new();
    env.szk(["mcp", "install", "claude-desktop"]).ok();
    let path = env
        .path()
        .join("home/config/Claude/claude_desktop_config.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let entry = &file["mcpServers"]["szk"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_szk"));
    let args: Vec<&str> = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a.as_str().unwrap())
        .collect();
    Mcp::open(env.szk(args), "2025-06-18").lives();
}

#[test]
fn a_file_that_cannot_be_understood_is_not_touched() {
    let env = TestEnv::new();
    let path = env.work().join(".mcp.json");
    fs::write(&path, "{ broken").unwrap();
    env.szk(["mcp", "install", "claude-code", "--project"])
        .fails("INVALID_INPUT");
    env.szk(["mcp", "install", "claude-desktop", "--project"])
        .fails("INVALID_INPUT");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ broken");
    assert_eq!(fs::read_dir(env.work()).unwrap().count(), 1);
}

#[test]
fn codex_and_vs_code_have_files_of_their_own_kind() {
    let env = TestEnv::new();
    for client in ["codex", "vscode", "claude-code"] {
        env.szk(["mcp", "install", client, "--project"]).ok();
    }
    let text = |name: &str| fs::read_to_string(env.work().join(name)).unwrap();
    assert!(text(".codex/config.toml").contains("[mcp_servers.szk]\ncommand = \"szk\""));
    let json: Value = serde_json::from_str(&text(".vscode/mcp.json")).unwrap();
    assert_eq!(json["servers"]["szk"]["type"], "stdio");
    let json: Value = serde_json::from_str(&text(".mcp.json")).unwrap();
    assert_eq!(json["mcpServers"]["szk"]["command"], "szk");
}

#[test]
fn manual_pages_and_the_skill_file_are_written() {
    let env = TestEnv::new();
    env.szk(["man", "man1"]).ok();
    let page = |name: &str| fs::read_to_string(env.work().join("man1").join(name)).unwrap();
    assert!(page("szk.1").starts_with(".ie") && page("szk-open.1").contains(".TH"));
    assert!(!env.work().join("man1/szk-keeper.1").exists());
    let skill = env.szk(["skill"]).ok().stdout;
    assert!(skill.starts_with("---\nname: szk\n") && skill.contains("- `session_open`("));
}
