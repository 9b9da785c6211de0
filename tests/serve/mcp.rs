//! MCP over HTTP: the official SDK, and what a token does not allow.

use std::io::Read as _;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{PATIENTLY, Site, TestEnv};

const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

type Headers<'a> = [(&'a str, &'a str)];

#[test]
fn the_official_sdk_with_sessions_and_without() {
    let env = TestEnv::new();
    let site = Site::of("<title>seen</title><h1>Hello</h1>");
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    env.open("work");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = folder.join("target/python/bin/python");
    let script = folder.join("tests/python/mcp_sdk.py").display().to_string();
    // The SDK's client takes nothing but an address.
    let address = format!("{}/token/{all}/mcp", server.url);
    let page = site.url("/");
    let args = [script.as_str(), &address, &page]
        .into_iter()
        .chain(VERSIONS);
    let ended = env
        .program(python.to_str().unwrap(), args)
        .limit(Duration::from_secs(180))
        .ok();
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    for version in VERSIONS {
        let said = &said[version];
        assert_eq!(said["version"], version, "{said:#}");
        assert_eq!(said["tools"], 14);
        assert_eq!(said["value"], "seen", "{said:#}");
        for what in ["failed", "cancelled", "person"] {
            assert_eq!(said[what], true, "{what} {said:#}");
        }
        assert_eq!(said["changed"], "szk://sessions/work/tabs", "{said:#}");
    }
    env.close("work");
}

/// Calls a tool in the newest version; the whole answer.
fn tool(server: &Server, token: &str, can: Value, name: &str, arguments: Value) -> String {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", name),
    ];
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": can,
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": arguments, "_meta": meta}});
    let reply = server.ask("POST", "/mcp", &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text()
}

/// Whoever has a token may be a program that answers its own questions.
#[test]
fn nobody_approves_anything_over_http() {
    let env = TestEnv::new();
    env.config("[policy]\napprove = [\"code\"]\n");
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    env.open("work");
    let can = json!({"elicitation": {}});
    let refused = tool(&server, &all, can, "browser_run_code", json!({"code": "1"}));
    assert!(refused.contains("NEEDS_APPROVAL"), "{refused}");
    assert!(!refused.contains("input_required"), "{refused}");
    let bearer = format!("Bearer {all}");
    // The header with which a front end says to the keeper that it can ask.
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("X-Szk-Approval", "ask"),
    ];
    let code = json!({"code": "1"}).to_string();
    let reply = server.ask("POST", "/v1/sessions/work/run-code", &headers, &code);
    assert!(reply.text().contains("NEEDS_APPROVAL"), "{}", reply.text());
    env.close("work");
}

/// What HTTP says below MCP is JSON-RPC, too, with szk's error in it.
#[track_caller]
fn errors_say_what_to_do(server: &Server, token: &str) {
    let bearer = format!("Bearer {token}");
    let auth = ("Authorization", bearer.as_str());
    let json = ("Content-Type", "application/json");
    let accept = ("Accept", "application/json, text/event-stream");
    let ended = ("Mcp-Session-Id", "nobody");
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let batch = format!("[{ping}]");
    let cases: [(&str, &Headers, &str, u16, Value); 9] = [
        ("POST", &[auth, json, accept], "{", 400, Value::Null),
        ("POST", &[auth, json, accept], "{}", 400, Value::Null),
        (
            "POST",
            &[auth, json, accept],
            batch.as_str(),
            400,
            Value::Null,
        ),
        ("POST", &[auth, form, accept], "a=b", 415, Value::Null),
        ("POST", &[auth, json], ping, 406, json!(1)),
        ("POST", &[auth, json, accept], ping, 400, json!(1)),
        ("POST", &[auth, json, accept, ended], ping, 404, json!(1)),
        ("PUT", &[auth, json, accept], ping, 405, Value::Null),
        ("GET", &[auth], "", 406, Value::Null),
    ];
    for (method, headers, body, status, id) in cases {
        let reply = server.ask(method, "/mcp", headers, body);
        assert_eq!(reply.status, status, "{method} {body} {}", reply.text());
        let said = reply.json();
        assert_eq!(said["id"], id, "{said}");
        assert!(said["error"]["code"].is_i64(), "{said}");
        assert!(said["error"]["data"]["code"].is_string(), "{said}");
    }
}

#[test]
fn a_token_allows_no_more_over_mcp() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let reader = token(&env, "reader", &["--scope", "read", "--session", "test-*"]);
    env.open("work");
    let call = |name: &str, arguments: Value| tool(&server, &reader, json!({}), name, arguments);
    let refused = call("browser_run_code", json!({"code": "1"}));
    assert!(refused.contains("POLICY_DENIED"), "{refused}");
    let hidden = call("browser_snapshot", json!({"session": "work"}));
    assert!(hidden.contains("SESSION_NOT_FOUND"), "{hidden}");
    let listed = call("session_list", json!({}));
    assert!(!listed.contains("\"work\""), "{listed}");
    server
        .ask("POST", "/mcp", &[], "{}")
        .fails(401, "UNAUTHORIZED");
    errors_say_what_to_do(&server, &reader);
    env.close("work");
}

/// A token that is made anew under its old name allows what it says, and nothing of the old one is left.
#[test]
fn a_token_made_anew_is_another_one() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let old = token(&env, "ci", &["--scope", "all"]);
    env.open("work");
    let code = || json!({"session": "work", "code": "document.title = 'ran'"});
    let call = |token: &str| tool(&server, token, json!({}), "browser_run_code", code());
    let ran = call(&old);
    assert!(!ran.contains("\"isError\":true"), "{ran}");
    env.szk(["token", "revoke", "ci"]).ok();
    let new = token(&env, "ci", &["--scope", "read"]);
    let refused = call(&new);
    assert!(refused.contains("POLICY_DENIED"), "{refused}");
    let session = json!({"session": "work"});
    let read = tool(&server, &new, json!({}), "browser_snapshot", session);
    assert!(!read.contains("UNAUTHORIZED"), "{read}");
    env.close("work");
}

/// A subscription, as a program that reads it to its end.
fn subscribed(server: &Server, token: &str) -> TcpStream {
    let bearer = format!("Bearer {token}");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
        "params": {"notifications": {"resourcesListChanged": true}, "_meta": meta}});
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "subscriptions/listen"),
        ("Connection", "close"),
    ];
    let mut stream = server.begin("/mcp", &headers, &body.to_string());
    stream.set_read_timeout(Some(PATIENTLY)).unwrap();
    let (mut begun, mut piece) = (String::new(), [0; 4096]);
    while !begun.contains("acknowledged") {
        let read = stream.read(&mut piece).unwrap();
        begun.push_str(&String::from_utf8_lossy(&piece[..read]));
        assert!(read > 0 && begun.contains(" 200 "), "{begun}");
    }
    stream
}

#[test]
fn a_subscription_ends_with_its_token_and_with_the_server() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let revoked = token(&env, "revoked", &[]);
    let kept = token(&env, "kept", &[]);
    let (mut first, mut second) = (subscribed(&server, &revoked), subscribed(&server, &kept));
    env.szk(["token", "revoke", "revoked"]).ok();
    first.read_to_end(&mut Vec::new()).unwrap();
    let began = Instant::now();
    server.running.signal(Signal::TERM);
    second.read_to_end(&mut Vec::new()).unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}
