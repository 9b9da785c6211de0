//! The audit log, written through three front ends and the endpoint.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{SOON, Site, TestEnv, wait_until};

fn lines(env: &TestEnv) -> Vec<Value> {
    let shown = env
        .szk(["audit", "show", "--session", "work", "--json"])
        .ok();
    let lines = shown.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn file(env: &TestEnv) -> PathBuf {
    env.store().join(".audit/000000000001.jsonl")
}

/// What `szk audit verify` says, and its exit code.
fn verified(env: &TestEnv) -> (Option<i32>, String) {
    let ended = env.szk(["audit", "verify"]).run();
    (ended.code, ended.stdout)
}

#[test]
fn calls_of_all_fronts_are_in_one_chain_that_shows_what_was_changed() {
    let env = TestEnv::new();
    let site = Site::of("<title>a</title><input type=password>");
    let server = Server::with_own_clients(&env);
    let ci = token(&env, "ci", &["--scope", "all"]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let url = format!("{}?token=hunter2", site.url("/"));
    env.navigate("work", &url);
    let post = |path: &str, input: &Value| {
        let path = format!("/v1/sessions/work/{path}");
        server.call(&ci, "POST", &path, input).ok()
    };
    post("navigate", &json!({"url": site.url("/")}));
    let mut fill = json!({"kind": "fill", "selector": "input", "text": "hunter2"});
    post("act", &fill);
    fill["session"] = "work".into();
    mcp.ok("browser_act", fill);
    mcp.fails(
        "browser_act",
        json!({"session": "work", "kind": "click", "ref": "e999"}),
        "NOT_FOUND",
    );
    mcp.leave();
    env.close("work");
    env.szk(["delete", "work", "--yes"]).ok();

    let all = lines(&env);
    let find = |operation: &str, front: &str, code: &str| {
        let fits = |line: &&Value| {
            line["operation"] == operation && line["front"] == front && line["code"] == code
        };
        all.iter()
            .find(fits)
            .unwrap_or_else(|| panic!("no {operation} by {front}: {code} in {all:#?}"))
    };
    assert_eq!(find("session_open", "mcp", "OK")["effect"], "done");
    let there = find("browser_navigate", "cli", "OK");
    assert!(
        there["what"]["url"]
            .as_str()
            .unwrap()
            .ends_with("/?token=***"),
        "{there}"
    );
    let act = find("browser_act", "http", "OK");
    assert_eq!(act["token"], "ci");
    assert_eq!(
        (&act["what"]["selector"], &act["what"]["text"]),
        (&json!("input"), &json!("…"))
    );
    find("browser_act", "mcp", "OK");
    let stale = find("browser_act", "mcp", "NOT_FOUND");
    assert_eq!(
        (&stale["effect"], &stale["what"]["ref"]),
        (&json!("none"), &json!("e999"))
    );
    find("session_close", "cli", "OK");
    find("session_delete", "cli", "OK");
    assert!(all.iter().any(|line| line["operation"] == "session_ended"));
    let text = fs::read_to_string(file(&env)).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    let (code, said) = verified(&env);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("good: "), "{said}");
    let named = format!(", in {}", file(&env).display());
    assert!(said.trim_end().ends_with(&named), "{said}");

    // Each of these is found, and where it is.
    let written: Vec<&str> = text.lines().collect();
    let changed = text.replacen("\"NOT_FOUND\"", "\"OK\"", 1);
    let at = written
        .iter()
        .position(|line| line.contains("NOT_FOUND"))
        .unwrap();
    let broken = |content: &str, place: usize, why: &str| {
        fs::write(file(&env), content).unwrap();
        let (code, said) = verified(&env);
        assert_eq!(code, Some(1), "{said}");
        let place = format!("000000000001.jsonl:{place}: ");
        assert!(said.contains(&place) && said.contains(why), "{said}");
    };
    broken(&changed, at + 1, "this line was changed");
    let without = [&written[..at], &written[at + 1..]].concat().join("\n") + "\n";
    let gone = format!("number {} is missing before this line", at + 1);
    broken(&without, at + 1, &gone);
    let end = written.len() - 1;
    let cut = written[..end].join("\n") + "\n";
    let gone = format!("number {} is missing after this line", end + 1);
    broken(&cut, end, &gone);
    fs::write(file(&env), &text).unwrap();
    assert_eq!(verified(&env).0, Some(0));
}

#[test]
fn a_killed_keeper_leaves_a_good_chain_and_programs_are_in_it() {
    let env = TestEnv::new();
    let opened = env.open("work");
    let endpoint = env.endpoint("work");
    let ws = endpoint["ws_url"].as_str().unwrap();
    let rest = ws.strip_prefix("ws://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut program = std::net::TcpStream::connect(host).unwrap();
    let head = format!(
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    std::io::Write::write_all(&mut program, head.as_bytes()).unwrap();
    let has = |operation: &str| {
        let all = lines(&env);
        all.iter()
            .any(|line| line["operation"] == operation && line["front"] == "endpoint")
    };
    wait_until("the program is in the log", SOON, || has("endpoint_join"));
    drop(program);
    wait_until("that it left, too", SOON, || has("endpoint_leave"));

    let pid = i32::try_from(opened["keeper_pid"].as_u64().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    let mut text = fs::read(file(&env)).unwrap();
    text.extend_from_slice(b"{\"seq\":99,\"time\":\"20");
    fs::write(file(&env), &text).unwrap();
    assert_eq!(verified(&env).0, Some(0));
    env.open("work");
    let (code, said) = verified(&env);
    assert_eq!(code, Some(0), "{said}");
    let all = env.szk(["audit", "show"]).ok().stdout;
    assert!(all.contains(" audit_torn_line bytes=20 "), "{all}");
    env.close("work");
}
