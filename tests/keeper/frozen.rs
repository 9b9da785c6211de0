//! A stopped or silent keeper: every call still ends, and says what to do.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{PATIENTLY, TestEnv, wait_until};

/// Budget, grace time, and a machine with other work.
const ENDS: Duration = Duration::from_secs(25);

fn keeper(env: &TestEnv) -> Process {
    let pid = env.row("work").unwrap()["keeper_pid"].as_u64().unwrap();
    Process::find(u32::try_from(pid).unwrap()).unwrap()
}

/// The outcome of a call, which must not come later than [`ENDS`].
#[track_caller]
fn in_time(call: impl FnOnce() -> Value) -> Value {
    let begun = Instant::now();
    let failure = call();
    assert!(begun.elapsed() < ENDS, "after {:?}", begun.elapsed());
    failure
}

#[track_caller]
fn names_the_process(failure: &Value, keeper: &Process) {
    let text = failure.to_string();
    assert!(
        text.contains(&format!("kill -CONT {}", keeper.pid)),
        "{text}"
    );
    assert_eq!(failure["retryable"], true, "{text}");
}

#[test]
fn every_call_to_a_stopped_keeper_ends_and_later_ones_go_on() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let keeper = keeper(&env);
    let browser = env.browser();
    keeper.signal(Signal::STOP);
    // One that only reads, and one that would have had an effect.
    let looked = in_time(|| mcp.fails("browser_snapshot", json!({"timeout_ms": 1000}), "TIMEOUT"));
    names_the_process(&looked, &keeper);
    assert_eq!(looked["effect"], "none");
    let late = json!({"code": "document.title = 'late'", "timeout_ms": 1000});
    let done = in_time(|| mcp.fails("browser_run_code", late, "TIMEOUT"));
    assert_eq!(done["effect"], "unknown", "{done:#}");
    // A browser that is stopped too makes no difference.
    browser.signal(Signal::STOP);
    let close = json!({"session": "work", "timeout_ms": 1000});
    in_time(|| mcp.fails("session_close", close, "TIMEOUT"));
    // A front end that has never talked to it, and one that only wants a list.
    let terminal = in_time(|| {
        env.szk(["snapshot", "-s", "work", "--timeout-ms", "1000"])
            .fails("TIMEOUT")
    });
    names_the_process(&terminal, &keeper);
    let opened = in_time(|| {
        env.szk(["open", "work", "--detach", "--timeout-ms", "1000"])
            .fails("TIMEOUT")
    });
    names_the_process(&opened, &keeper);
    assert_eq!(env.row("work").unwrap()["status"], "busy");

    browser.signal(Signal::CONT);
    keeper.signal(Signal::CONT);
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
    let title = mcp.eval("work", "document.title");
    assert_ne!(title, "late", "what was given up is not begun later");
    mcp.ok("session_close", json!({"session": "work"}));
    wait_until("it closes", PATIENTLY, || !keeper.lives());
}

#[test]
fn a_keeper_that_stops_in_the_middle_of_an_answer_is_given_up() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let keeper = keeper(&env);
    let code = "new Promise((done) => setTimeout(done, 1e6))";
    let id = mcp.post(
        "browser_run_code",
        json!({"code": code, "timeout_ms": 8000}),
    );
    // The call has started once the head of its answer is there: a second call gets an answer beside
    // it.
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
    keeper.signal(Signal::STOP);
    let answer = in_time(|| mcp.answer(id));
    let text = answer.to_string();
    assert!(
        text.contains("TIMEOUT") && text.contains("effect: unknown"),
        "{text}"
    );
    keeper.signal(Signal::CONT);
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
}
