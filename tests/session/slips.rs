//! Only the commands that say so create a session that does not exist.

use std::fs;

use serde_json::json;

use crate::harness::TestEnv;

/// Everything in the terminal that takes a profile's name, except what creates profiles.
const ON_A_SESSION: &[&[&str]] = &[
    &["navigate", "about:blank", "-s", "wrok"],
    &["snapshot", "-s", "wrok"],
    &["find", "x", "-s", "wrok"],
    &["extract", "-s", "wrok"],
    &["act", "press", "Enter", "-s", "wrok"],
    &["run-code", "1", "-s", "wrok"],
    &["run-test", "-s", "wrok"],
    &["test", "wrok"],
    &["screenshot", "-s", "wrok"],
    &["pdf", "-s", "wrok"],
    &["tabs", "-s", "wrok"],
    &["emulate", "--reset", "-s", "wrok"],
    &["logs", "-s", "wrok"],
    &["arm", "dialog", "-s", "wrok"],
    &["fill-form", "User=jane", "-s", "wrok"],
    &["scrape", "-s", "wrok"],
    &["batch", "steps.json", "-s", "wrok"],
    &["run-file", "x.mjs", "-s", "wrok"],
    &["state", "export", "wrok", "x.json"],
    &["endpoint", "wrok"],
    &["handoff", "wrok", "--no-wait"],
    &["close", "wrok"],
    &["delete", "wrok"],
    &["profile", "export", "wrok", "x.tar.zst"],
    &["profile", "maintain", "wrok"],
    &["config", "explain", "--profile", "wrok"],
];

#[test]
fn a_slip_makes_no_profile_and_the_nearest_name_is_told() {
    let env = TestEnv::new();
    // A stored profile, as far as names are concerned.
    fs::create_dir_all(env.in_profile("work", "profile/Default")).unwrap();
    fs::write(
        env.work().join("steps.json"),
        r#"[{"tool": "browser_tabs"}]"#,
    )
    .unwrap();
    fs::write(env.work().join("x.mjs"), "export default () => 1").unwrap();
    for args in ON_A_SESSION {
        let failure = env.szk(args.iter().copied()).fails("SESSION_NOT_FOUND");
        let hint = failure["hint"].as_str().unwrap_or_default();
        assert!(hint.contains("did you mean `work`?"), "{args:?}: {failure}");
    }
    let mut mcp = env.mcp();
    for (tool, mut input) in [
        ("browser_navigate", json!({"url": "about:blank"})),
        ("browser_snapshot", json!({})),
        ("browser_tabs", json!({"action": "list"})),
        (
            "browser_batch",
            json!({"steps": [{"tool": "browser_tabs"}]}),
        ),
        ("session_run_test", json!({})),
        (
            "session_state",
            json!({"action": "export", "path": "x.json"}),
        ),
        ("session_close", json!({})),
        ("session_open", json!({"clone": true})),
    ] {
        input["session"] = json!("wrok");
        mcp.fails(tool, input, "SESSION_NOT_FOUND");
    }
    let left: Vec<_> = fs::read_dir(env.store()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(!env.work().join("x.json").exists());
    assert!(!env.work().join("x.tar.zst").exists());
}

#[test]
fn a_call_without_a_name_begins_default_and_an_import_says_what_it_made() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    // Even a call that fails has started the session, and says so once.
    let nothing = json!({"kind": "click", "selector": "#none"});
    for (effect, says) in [("done", true), ("none", false)] {
        let failure = mcp.fails("browser_act", nothing.clone(), "NOT_FOUND");
        let message = failure["message"].as_str().unwrap();
        let told = message.contains("`default` was opened for this call");
        assert_eq!(told, says, "{failure}");
        assert_eq!(failure["effect"], effect, "{failure}");
    }
    mcp.ok("browser_navigate", json!({"url": "about:blank"}));
    assert_eq!(env.row("default").unwrap()["status"], "open");
    let cookie = "sid=1; path=/";
    let import = |name: &str, text: &str| json!({"session": name, "action": "import", "text": text, "domain": "127.0.0.1"});
    let text = format!("Cookie: {cookie}");
    let made = mcp.ok("session_state", import("fresh", &text));
    assert_eq!(made["created"], true, "{made}");
    let again = mcp.ok("session_state", import("fresh", &text));
    assert_eq!(again.get("created"), None, "{again}");
    // An unreadable import leaves nothing behind.
    let broken = import("broken", "{\"cookies\": 5}");
    let failure = mcp.fails("session_state", broken, "INVALID_INPUT");
    assert_eq!(failure["effect"], "none", "{failure}");
    assert!(env.row("broken").is_none());
}

#[test]
fn a_profile_tells_what_it_holds_open_or_closed() {
    let env = TestEnv::new();
    let state = json!({
        "cookies": [
            {"name": "sid", "value": "made-up", "domain": ".example.test", "path": "/", "expires": -1, "secure": true},
            {"name": "keep", "value": "made-up", "domain": "example.test", "path": "/", "expires": 4_102_444_800_u64, "secure": true},
        ],
        "origins": [],
    });
    fs::write(env.work().join("state.json"), state.to_string()).unwrap();
    env.szk(["state", "import", "work", "state.json"]).ok();
    let holds = |row: &serde_json::Value| row["holds"]["sites"][0].clone();
    let closed = env.szk(["inspect", "work", "--json"]).json();
    assert_eq!(closed["status"], "stored", "{closed:#}");
    let site = holds(&closed);
    assert_eq!(
        (&site["site"], &site["cookies"], &site["session_cookies"]),
        (&json!("example.test"), &json!(2), &json!(1)),
        "{closed:#}"
    );
    env.no_chromium_is_left();
    env.open("work");
    let text = env.szk(["cookies"]).ok().stdout;
    assert!(text.contains("example.test"), "{text}");
    assert!(!text.contains("made-up"), "{text}");
    let mut mcp = env.mcp();
    let listed = mcp.ok("session_list", json!({"session": "work"}));
    assert_eq!(holds(&listed["sessions"][0])["cookies"], 2, "{listed:#}");
    env.szk(["inspect", "wrok"]).fails("SESSION_NOT_FOUND");

    // Two sessions at once: a call without a name is told what to type, and all can be closed.
    env.open("shop");
    let ended = env.szk(["close"]).run();
    assert!(ended.stderr.contains("`szk close PROFILE`"), "{ended:#?}");
    let ended = env.szk(["snapshot"]).run();
    assert!(ended.stderr.contains("`-s PROFILE`"), "{ended:#?}");
    let closed = env.szk(["close", "--all", "--json"]).json();
    assert_eq!(
        closed["closed"].as_array().map(Vec::len),
        Some(2),
        "{closed:#}"
    );
    env.no_chromium_is_left();
}
