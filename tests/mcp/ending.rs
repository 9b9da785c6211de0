//! The server ends at once; the browser does not.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::{Mcp, Signal, TestEnv};

/// The promise is about 100 ms; the rest allows for a machine busy with other tests.
const AT_ONCE: Duration = Duration::from_secs(2);

/// A server with a call that never ends on its own.
fn busy(env: &TestEnv) -> Mcp {
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.post(
        "browser_run_code",
        json!({"session": "work", "code": "new Promise(() => {})"}),
    );
    // The server reads in order: once this answer is here, it has read the call before.
    mcp.lives();
    mcp
}

#[track_caller]
fn the_browser_stays(env: &TestEnv) {
    assert_eq!(env.eval("work", "6 * 7"), 42);
    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn when_stdin_closes_while_a_call_runs() {
    let env = TestEnv::new();
    let mut mcp = busy(&env);
    let began = Instant::now();
    mcp.hang_up();
    let status = mcp.ended();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert!(status.success(), "{status}");
    the_browser_stays(&env);
}

#[test]
fn when_stdin_closes_while_a_browser_starts() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.post("session_open", json!({"session": "work"}));
    mcp.hang_up();
    let began = Instant::now();
    mcp.ended();
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    // Whether or not the keeper had been started: the next client finds or starts it.
    env.open("work");
    the_browser_stays(&env);
}

#[test]
fn on_signals() {
    let env = TestEnv::new();
    for (signal, code) in [(Signal::TERM, 0), (Signal::INT, 130)] {
        let mut mcp = busy(&env);
        mcp.signal(signal);
        let status = mcp.ended();
        assert_eq!(status.code(), Some(code), "{signal:?} {status}");
        the_browser_stays(&env);
    }
}

#[test]
fn when_nothing_was_said_at_all() {
    let env = TestEnv::new();
    let mut mcp = Mcp::start(env.szk(["mcp"]));
    mcp.hang_up();
    assert!(mcp.ended().success());
    let ended = env.szk(["mcp"]).run();
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), ""),
        "{ended:#?}"
    );
}
