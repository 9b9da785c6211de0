//! Programs end with whatever wanted them: time, cancellation, the session, the keeper. Nothing stays
//! behind.

use serde_json::{Value, json};

use crate::harness::process::Process;
use crate::harness::{Mcp, PATIENTLY, SOON, Signal, TestEnv, wait_for, wait_until};

/// Starts one that leaves the process group, hangs, and never yields.
const STUBBORN: &str = "
import { spawn } from 'node:child_process';
import { test } from './szk.mjs';
test.describe('group', () => {
  test('ends well', async ({ page }) => { await page.title(); });
  test('hangs', async ({ page }) => {
    test.setTimeout(0);
    spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref();
    console.log('hanging now');
    process.on('SIGINT', () => {});
    await page.evaluate(() => { document.title = 'hanging'; });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
});";

const LOOP: &str = "async (page) => { await page.evaluate(() => { document.title = 'hanging'; }); process.on('SIGINT', () => {}); require('node:child_process').spawn('sleep', ['1000'], { detached: true }); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }";

/// Waits until something hangs; returns the hanging processes.
#[track_caller]
fn hanging(env: &TestEnv) -> Vec<Process> {
    wait_for("a program hangs", PATIENTLY, || {
        let programs = env.programs();
        let asleep = programs
            .iter()
            .any(|process| process.flags().any(|flag| flag == "1000"));
        (asleep && programs.len() >= 3).then_some(programs)
    })
}

#[track_caller]
fn all_gone(env: &TestEnv, programs: &[Process]) {
    wait_until("all of them are gone", SOON, || {
        programs.iter().all(|process| !process.lives())
    });
    env.no_program_is_left();
}

fn open() -> (TestEnv, Mcp) {
    let env = TestEnv::new();
    env.project(&[("tests/hang.spec.mjs", STUBBORN)]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    (env, mcp)
}

fn looping() -> Value {
    json!({"session": "work", "code": LOOP, "runner": "playwright"})
}

#[test]
fn when_time_is_up() {
    let (env, mut mcp) = open();
    let id = mcp.post(
        "browser_run_test",
        json!({"session": "work", "timeout_ms": 25_000}),
    );
    let programs = hanging(&env);
    // A group of their own, except for the one that left it.
    let leash = programs
        .iter()
        .find(|process| process.flags().next() == Some("leash"));
    let leash = leash.expect("a leash").group();
    assert!(
        programs
            .iter()
            .filter(|process| process.group() == leash)
            .count()
            >= 3,
        "{programs:#?}"
    );
    // The address appears nowhere.
    let endpoint = env.endpoint("work");
    let token = endpoint["http_url"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap();
    assert!(token.len() > 20);
    for process in &env.processes() {
        assert!(
            process.flags().all(|flag| !flag.contains(token)),
            "{process:#?}"
        );
    }
    let result = mcp.answer(id)["result"].clone();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        result["_meta"]["szk/failure"]["code"], "TIMEOUT",
        "{result:#}"
    );
    for part in [
        "did not finish within 25000 ms",
        "running was group › hangs (tests/hang.spec.mjs:6:",
        "1 passed",
        "hanging now",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    // They are gone by the time it answers.
    assert!(env.programs().is_empty(), "{:#?}", env.programs());
    all_gone(&env, &programs);
    let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(!log.contains(token));

    let mut short = looping();
    short["timeout_ms"] = json!(3_000);
    let failure = mcp.fails("browser_run_code", short, "TIMEOUT");
    assert!(
        failure["message"].as_str().unwrap().contains("was killed"),
        "{failure}"
    );
    assert!(env.programs().is_empty());
    assert_eq!(mcp.eval("work", "1 + 1"), 2);
}

#[test]
fn when_the_call_is_cancelled() {
    let (env, mut mcp) = open();
    for (tool, input) in [
        ("browser_run_code", looping()),
        ("browser_run_test", json!({"session": "work"})),
    ] {
        let id = mcp.post(tool, input);
        let programs = hanging(&env);
        mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        all_gone(&env, &programs);
    }
    // The same for the terminal.
    let running = env.szk(["run-test", "-s", "work"]).start();
    let programs = hanging(&env);
    running.signal(Signal::INT);
    let ended = running.end();
    assert_ne!(ended.code, Some(0), "{ended:#?}");
    all_gone(&env, &programs);
    assert_eq!(mcp.eval("work", "1 + 1"), 2);
}

#[test]
fn when_the_session_is_closed() {
    let (env, mut mcp) = open();
    let id = mcp.post("browser_run_code", looping());
    let programs = hanging(&env);
    env.close("work");
    let result = mcp.answer(id)["result"].clone();
    assert_eq!(result["isError"], true, "{result:#}");
    all_gone(&env, &programs);
    env.no_chromium_is_left();
}

#[test]
fn when_the_keeper_is_killed() {
    let (env, mut mcp) = open();
    let keeper = mcp.open_session("work")["keeper_pid"].as_u64().unwrap();
    mcp.post("browser_run_test", json!({"session": "work"}));
    let programs = hanging(&env);
    Process::find(u32::try_from(keeper).unwrap())
        .unwrap()
        .signal(Signal::KILL);
    all_gone(&env, &programs);
    env.no_chromium_is_left();
}

#[test]
fn when_the_leash_is_killed() {
    let (env, mut mcp) = open();
    let mut input = looping();
    input["timeout_ms"] = json!(60_000);
    let id = mcp.post("browser_run_code", input);
    let programs = hanging(&env);
    let leash = programs
        .iter()
        .find(|process| process.flags().next() == Some("leash"));
    leash.unwrap().signal(Signal::KILL);
    let result = mcp.answer(id)["result"].clone();
    assert_eq!(
        result["_meta"]["szk/failure"]["code"], "SCRIPT_FAILED",
        "{result:#}"
    );
    // Its group goes with it; what left the group is then out of reach.
    wait_until("the group is gone", SOON, || {
        programs
            .iter()
            .filter(|process| process.group() == leash.unwrap().group())
            .all(|process| !process.lives())
    });
}

/// Background processes that a program forgets do not outlive it either.
#[test]
fn when_it_ends_by_itself() {
    let (env, mut mcp) = open();
    let code = "() => { require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref(); return 1; }";
    let input = json!({"session": "work", "code": code, "runner": "playwright"});
    assert_eq!(mcp.ok("browser_run_code", input)["value"], 1);
    assert!(env.programs().is_empty(), "{:#?}", env.programs());
}
