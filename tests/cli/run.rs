//! `szk run`: a program that finds the browser in its environment.

use serde_json::Value;

use crate::harness::{Signal, TestEnv};

#[test]
fn the_program_gets_the_endpoint_and_the_browser_stays() {
    let env = TestEnv::new();
    let print =
        "printf '%s\\n' \"$SZK_CDP_ENDPOINT\" \"$SZK_CDP_WS_ENDPOINT\" \"$SZK_SESSION\"; cat";
    let ended = env
        .szk(["run", "work", "--", "sh", "-c", print])
        .input("from stdin")
        .ok();
    let endpoint = env.endpoint("work");
    let expected = format!(
        "{}\n{}\nwork\nfrom stdin",
        endpoint["http_url"].as_str().unwrap(),
        endpoint["ws_url"].as_str().unwrap()
    );
    assert_eq!(ended.stdout, expected);
    // Nothing from szk, except for the one-time warning to root.
    let told = |line: &str| line.starts_with("warning: szk runs as root");
    assert!(ended.stderr.lines().all(told), "{ended:?}");
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn it_ends_as_the_program_does() {
    let env = TestEnv::new();
    env.open("work");
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -TERM $$", 143),
        ("kill -9 $$", 137),
    ] {
        let ended = env.szk(["run", "work", "--", "sh", "-c", script]).run();
        assert_eq!(ended.code, Some(code), "{script}: {ended:#?}");
    }
    let missing = env.szk(["run", "work", "--", "szk-no-such-program"]).run();
    assert_eq!(missing.code, Some(127), "{missing:#?}");
    assert!(
        missing.stderr.contains("szk-no-such-program"),
        "{missing:#?}"
    );
    assert_eq!(env.szk(["run", "work", "--", "/"]).run().code, Some(126));
    assert_eq!(
        env.szk(["run", "work"]).run().code,
        Some(2),
        "a program must be given"
    );
}

#[test]
fn signals_are_passed_on_and_the_program_decides() {
    let env = TestEnv::new();
    let script = "trap 'echo caught; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
    let mut running = env.szk(["run", "work", "--", "sh", "-c", script]).start();
    running.until("ready", |line| line == "ready");
    running.signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(3), "ready\ncaught\n"),
        "{ended:#?}"
    );
    assert_eq!(env.eval("work", "1"), 1);
}

#[test]
fn options_of_the_browser_apply() {
    let env = TestEnv::new();
    env.szk(["run", "work", "--timezone", "Asia/Tokyo", "--", "true"])
        .ok();
    let zone: Value = env.eval("work", "Intl.DateTimeFormat().resolvedOptions().timeZone");
    assert_eq!(zone, "Asia/Tokyo");
    let differ = env
        .szk(["run", "work", "--timezone", "Asia/Seoul", "--", "true"])
        .run();
    assert_eq!(differ.code, Some(4), "{differ:#?}");
}
