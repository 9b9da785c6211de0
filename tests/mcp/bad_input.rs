//! Nothing a client sends ends the server, and whatever can be answered is.

use serde_json::{Value, json};

use crate::harness::{Mcp, SOON, TestEnv};

#[track_caller]
fn error(mcp: &mut Mcp, line: &[u8]) -> Value {
    mcp.raw(line);
    mcp.raw(b"\n");
    let answer = mcp.next("error", SOON, |message| message.get("error").is_some());
    assert!(
        !answer["error"]["message"].as_str().unwrap().is_empty(),
        "{answer}"
    );
    mcp.lives();
    answer
}

#[test]
fn lines_that_are_no_messages() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for line in [
        &b"{"[..],
        b"nonsense",
        b"\xff\xfe{}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}",
    ] {
        assert_eq!(
            error(&mut mcp, line)["error"]["code"],
            -32700,
            "{}",
            String::from_utf8_lossy(line)
        );
    }
    for line in [
        "5",
        "[]",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    ] {
        assert_eq!(
            error(&mut mcp, line.as_bytes())["error"]["code"],
            -32600,
            "{line}"
        );
    }
    let unknown = error(
        &mut mcp,
        br#"{"jsonrpc":"2.0","id":"u","method":"nonsense"}"#,
    );
    assert_eq!(
        (&unknown["id"], &unknown["error"]["code"]),
        (&json!("u"), &json!(-32601))
    );
}

#[test]
fn a_message_of_fifty_megabytes() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"x":"{}"}}}}"#,
        "y".repeat(50 << 20)
    );
    error(&mut mcp, line.as_bytes());
    error(&mut mcp, "[".repeat(1 << 20).as_bytes());
}

#[test]
fn inputs_that_no_operation_takes() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for (tool, arguments, parts) in [
        ("session_open", json!({"session": 5}), &["session"][..]),
        (
            "session_open",
            json!({"sesion": "a"}),
            &["sesion", "session"],
        ),
        (
            "session_open",
            json!({"session": "a", "headless": "yes"}),
            &["headless", "auto"],
        ),
        (
            "session_open",
            json!({"session": "a", "viewport": "big"}),
            &["viewport", "1280x800"],
        ),
        (
            "session_open",
            json!({"session": "a", "viewport": "0x0"}),
            &["viewport"],
        ),
        (
            "session_open",
            json!({"session": "a", "timezone": "Mars Base"}),
            &["timezone", "Mars Base"],
        ),
        (
            "session_open",
            json!({"session": "a", "locale": "!!"}),
            &["locale"],
        ),
        (
            "session_open",
            json!({"session": "a", "proxy": "ftp://user:geheim@x"}),
            &["proxy"],
        ),
        (
            "session_open",
            json!({"session": "a", "timeout_ms": -1}),
            &["timeout_ms"],
        ),
        (
            "session_open",
            json!({"session": "a", "extensions": "x"}),
            &["extensions"],
        ),
        ("browser_run_code", json!({"code": null}), &["code"]),
        ("browser_run_code", json!({}), &["code"]),
        (
            "browser_navigate",
            json!({"url": "a", "history": "sideways"}),
            &["history", "back"],
        ),
        (
            "session_state",
            json!({"action": "steal"}),
            &["action", "export"],
        ),
        (
            "session_list",
            json!({"all": true, "more": 1}),
            &["all", "more"],
        ),
    ] {
        let failure = mcp.fails(tool, arguments.clone(), "INVALID_INPUT");
        let text = failure.to_string();
        assert!(
            parts.iter().all(|part| text.contains(part)),
            "{arguments} {text}"
        );
        assert!(
            !text.contains("geheim"),
            "a password is not repeated: {text}"
        );
        assert_eq!(failure["effect"], "none");
    }
    let failure = mcp.fails(
        "session_open",
        json!({"session": "x".repeat(1 << 20)}),
        "INVALID_INPUT",
    );
    assert!(failure.to_string().len() < 1000);
    assert!(!env.store().exists(), "nothing was made");
}

#[test]
fn a_tool_that_is_none() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    for name in ["session_opne", "", "x", &"y".repeat(100_000)] {
        let id = mcp.post(name, json!({}));
        let answer = mcp.answer(id);
        // By the specification an unknown tool is a protocol error.
        assert!(
            answer["error"]["message"].is_string() || answer["result"]["isError"] == true,
            "{name:.50}: {answer:.300}"
        );
        assert!(answer.to_string().len() < 2000);
    }
    mcp.lives();
}

#[test]
fn calls_before_the_handshake() {
    let env = TestEnv::new();
    let mut mcp = Mcp::start(env.szk(["mcp"]));
    let id = mcp.post("session_list", json!({}));
    let answer = mcp.answer(id);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("initialize"),
        "{answer}"
    );
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    mcp.initialize("2025-11-25");
    assert_eq!(mcp.ok("session_list", json!({}))["sessions"], json!([]));
}

#[test]
fn a_configuration_with_mistakes_is_told_with_all_of_them() {
    let env = TestEnv::new();
    env.config("[browser]\nheadles = true\n\n[session]\nlinger_minutes = \"soon\"\n");
    let ended = env.szk(["mcp"]).run();
    assert_eq!(ended.code, Some(8), "{ended:#?}");
    for part in [
        "szk.config.toml:2:1",
        "headless",
        "szk.config.toml:5:18",
        "^^^",
    ] {
        assert!(ended.stderr.contains(part), "{part}: {ended:#?}");
    }
    assert!(ended.stdout.is_empty(), "{ended:#?}");
}
