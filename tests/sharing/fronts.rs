//! Two MCP servers and the terminal on one profile.

use serde_json::{Value, json};

use crate::harness::{SOON, Site, TestEnv, wait_until};

fn clients(env: &TestEnv, profile: &str) -> usize {
    let row = env.row(profile).expect("it is listed");
    row["clients"].as_array().map_or(0, Vec::len)
}

#[test]
fn all_share_one_chromium_and_one_may_leave() {
    let env = TestEnv::new();
    let site = Site::of("<title>shared</title><h1>shared</h1>");
    let mut first = env.mcp();
    let mut second = env.mcp();

    let opened = first.open_session("work");
    assert_eq!(opened["started"], "started");
    let joined = second.open_session("work");
    assert_eq!(joined["started"], "joined");
    let terminal = env.open("work");
    assert_eq!(terminal["started"], "joined");
    for answer in [&joined, &terminal] {
        assert_eq!(answer["keeper_pid"], opened["keeper_pid"]);
    }
    let chromium = env.browser();
    assert_eq!(chromium.profile(), Some("work"));

    // Each sees what another one does.
    first.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    assert_eq!(second.eval("work", "document.title"), "shared");
    second.eval("work", "document.title = 'changed'; return 0");
    assert_eq!(env.eval("work", "document.title"), "changed");

    assert_eq!(clients(&env, "work"), 2);
    first.leave();
    wait_until("the one that left is not counted", SOON, || {
        clients(&env, "work") == 1
    });
    assert_eq!(second.eval("work", "document.title"), "changed");
    assert_eq!(env.eval("work", "1 + 1"), 2);

    // When all front ends are gone, the keeper stays.
    second.leave();
    wait_until("nobody is counted", SOON, || clients(&env, "work") == 0);
    assert_eq!(env.row("work").unwrap()["status"], "open");
    assert_eq!(env.browser(), chromium);

    env.close("work");
    env.no_chromium_is_left();
}

#[test]
fn a_server_that_is_killed_leaves_the_browser_to_the_others() {
    let env = TestEnv::new();
    let mut first = env.mcp();
    let mut second = env.mcp();
    first.open_session("work");
    second.open_session("work");
    let chromium = env.browser();
    drop(first);
    wait_until("the killed one is not counted", SOON, || {
        clients(&env, "work") == 1
    });
    assert_eq!(second.eval("work", "6 * 7"), 42);
    assert_eq!(env.browser(), chromium);
}

#[test]
fn closing_ends_it_for_everybody_and_opening_starts_it_again() {
    let env = TestEnv::new();
    let mut first = env.mcp();
    let mut second = env.mcp();
    first.open_session("work");
    let before = second.open_session("work");
    let closed = first.ok("session_close", json!({"session": "work"}));
    assert_eq!(closed["saved"], true);
    // It has returned, so nothing is left.
    assert!(
        env.chromium_processes().is_empty(),
        "{:#?}",
        env.chromium_processes()
    );
    second.fails(
        "session_endpoint",
        json!({"session": "work"}),
        "SESSION_NOT_FOUND",
    );
    let again = second.open_session("work");
    assert_eq!(again["started"], "started");
    assert_ne!(again["keeper_pid"], before["keeper_pid"]);
}

#[test]
fn calls_of_one_client_do_not_wait_for_each_other() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let slow = mcp.post(
        "browser_run_code",
        json!({"session": "work", "code": "new Promise(() => {})"}),
    );
    assert_eq!(mcp.eval("work", "1"), 1);
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}}));
    assert_eq!(mcp.eval("work", "2"), 2);
    let code = json!({"session": "work", "code": "for (;;) {}", "timeout_ms": 300});
    let failure: Value = mcp.fails("browser_run_code", code, "TIMEOUT");
    assert!(
        failure["message"].as_str().unwrap().contains("300"),
        "{failure}"
    );
    assert_eq!(mcp.eval("work", "3"), 3);
}
