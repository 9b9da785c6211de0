//! `szk open`: the card, Ctrl-C, joining.

use std::fs;

use serde_json::Value;

use crate::harness::http::{get, parts};
use crate::harness::{
    Ended, LoginSite, Running, SOON, Signal, Site, TestEnv, wait_for, wait_until,
};

/// Last line of the card.
fn is_last(line: &str) -> bool {
    line.starts_with('╰')
}

#[track_caller]
fn closed_well(env: &TestEnv, ended: &Ended) {
    assert_eq!((ended.code, ended.signal), (Some(0), None), "{ended:#?}");
    assert!(ended.stderr.contains("closed `work`"), "{ended:#?}");
    // Chromium's crash handler goes when it sees that the browser has gone.
    env.no_chromium_is_left();
    assert_eq!(env.row("work").unwrap()["status"], "stored");
}

fn start(env: &TestEnv, args: &[&str]) -> (Running, String) {
    let mut running = env
        .szk(["open", "work"].into_iter().chain(args.iter().copied()))
        .start();
    let card = running.until("the card", is_last).to_owned();
    (running, card)
}

#[test]
fn the_card_says_what_is_open_and_how_to_join() {
    let env = TestEnv::new();
    let site = Site::of("<title>Welcome</title>");
    let (running, card) = start(&env, &[&site.url("/")]);
    for part in [
        "work",
        "started",
        "headless",
        "Welcome",
        "szk mcp",
        "connectOverCDP",
        "Ctrl-C saves and closes",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    assert!(card.lines().count() <= 12, "{card}");
    assert!(!card.contains('\u{1b}'), "no colour into a pipe: {card}");
    // The address on the card works as it is.
    let url = card
        .split_whitespace()
        .find(|word| word.starts_with("http://127.0.0.1:"))
        .expect("an endpoint");
    let (port, token) = parts(url);
    assert!(
        get(port, &format!("{token}/json/list"))
            .body
            .contains("Welcome")
    );
    running.signal(Signal::INT);
    closed_well(&env, &running.end());
}

#[test]
fn ctrl_c_saves_and_closes() {
    let env = TestEnv::new();
    let login = LoginSite::serve();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (running, _) = start(&env, &[]);
        if signal == Signal::INT {
            login.log_in(&env, "work");
        } else {
            assert_eq!(login.who(&env, "work"), login.jane(), "{signal:?}");
        }
        running.signal(signal);
        closed_well(&env, &running.end());
    }
}

#[test]
fn a_second_one_joins_and_says_so() {
    let env = TestEnv::new();
    let site = Site::of("<title>second</title>");
    let (running, _) = start(&env, &[]);
    let joined = env.szk(["open", "work", &site.url("/")]).ok();
    for part in ["joined", "it stays open when you leave", "second"] {
        assert!(joined.stdout.contains(part), "{part}: {joined:#?}");
    }
    assert_eq!(env.row("work").unwrap()["keeper_pid"], running.pid());
    let closing = env.szk(["close", "work"]).ok();
    assert!(
        closing.stderr.contains("saved and closed `work`"),
        "{closing:#?}"
    );
    // The first one exits on its own.
    closed_well(&env, &running.end());
}

#[test]
fn json_is_one_line_and_a_failure_is_one_too() {
    let env = TestEnv::new();
    let mut running = env.szk(["open", "work", "--json"]).start();
    let line = running
        .until("the answer", |line| line.starts_with('{'))
        .to_owned();
    let opened: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&opened["session"], &opened["started"]),
        (&"work".into(), &"started".into())
    );
    assert!(opened["endpoint"]["http_url"].is_string(), "{opened:#}");
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(
        (ended.code, ended.stdout.lines().count()),
        (Some(0), 1),
        "{ended:#?}"
    );
    let failure = env.szk(["endpoint", "work"]).fails("SESSION_NOT_FOUND");
    assert!(
        failure["hint"].as_str().unwrap().contains("szk open work"),
        "{failure}"
    );
    let human = env.szk(["endpoint", "work"]).run();
    assert_eq!(human.code, Some(3), "{human:#?}");
    assert!(
        human.stderr.starts_with("error[SESSION_NOT_FOUND]: "),
        "{human:#?}"
    );
    assert!(human.stdout.is_empty(), "{human:#?}");
}

#[test]
fn a_crash_is_told_and_mended() {
    let env = TestEnv::new();
    let site = Site::of("<title>kept</title>");
    let (running, _) = start(&env, &[&site.url("/")]);
    let old = env.browser();
    old.signal(Signal::KILL);
    wait_for("Chromium is started again", SOON, || {
        env.browsers().into_iter().find(|browser| *browser != old)
    });
    wait_until("the tab is back", SOON, || {
        env.eval("work", "document.title") == "kept"
    });
    let joined = env.open("work");
    let warnings = joined["warnings"].to_string();
    assert!(
        warnings.contains("started") || warnings.contains("restarting it"),
        "whoever joins is told: {joined:#}"
    );
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(
        ended.stderr.contains("Chromium"),
        "the person at the terminal is told: {ended:#?}"
    );
    closed_well(&env, &ended);
}

#[test]
fn a_page_that_does_not_load_does_not_cost_the_browser() {
    let env = TestEnv::new();
    let dead = Site::of("").origin();
    let (running, _) = start(&env, &[&dead]);
    assert_eq!(env.eval("work", "6 * 7"), 42);
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(
        ended.stderr.contains("ERR_CONNECTION_REFUSED"),
        "{ended:#?}"
    );
    closed_well(&env, &ended);
}

#[test]
fn a_window_without_a_display_is_an_error() {
    let env = TestEnv::new();
    let ended = env.szk(["open", "work", "--window", "--json"]).run();
    assert_eq!(ended.code, Some(5), "{ended:#?}");
    assert!(
        ended.failure()["hint"]
            .as_str()
            .unwrap()
            .contains("headless"),
        "{ended:#?}"
    );
    env.no_chromium_is_left();
    env.open("work");
}

#[test]
fn what_only_clones_can_do_is_refused() {
    let env = TestEnv::new();
    env.open("work");
    env.szk(["close", "work", "--no-save"])
        .fails("INVALID_INPUT");
    assert_eq!(env.eval("work", "1"), 1);
    env.close("work");
    assert!(fs::exists(env.in_profile("work", "state.json")).unwrap());
}
