//! Many callers at the same time.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::harness::{SOON, TestEnv, wait_until};

#[test]
fn fifteen_first_opens_are_one_keeper_one_chromium_and_fifteen_answers() {
    let env = TestEnv::new();
    let start = Barrier::new(15);
    let answers: Vec<Value> = thread::scope(|scope| {
        let opens: Vec<_> = (0..15)
            .map(|number| {
                let (env, start) = (&env, &start);
                scope.spawn(move || {
                    if number % 2 == 0 {
                        start.wait();
                        return env.open("work");
                    }
                    let mut mcp = env.mcp();
                    start.wait();
                    mcp.open_session("work")
                })
            })
            .collect();
        opens
            .into_iter()
            .map(|open| open.join().expect("each one is answered"))
            .collect()
    });
    assert_eq!(answers.len(), 15);
    let started = answers
        .iter()
        .filter(|answer| answer["started"] == "started")
        .count();
    assert_eq!(started, 1, "{answers:#?}");
    assert!(
        answers
            .iter()
            .all(|answer| answer["keeper_pid"] == answers[0]["keeper_pid"]),
        "{answers:#?}"
    );
    assert_eq!(env.browsers().len(), 1);
    assert_eq!(env.eval("work", "1 + 1"), 2);
}

#[test]
fn opening_while_it_closes_opens_it_again() {
    let env = TestEnv::new();
    let first = env.open("work");
    let second = thread::scope(|scope| {
        let closing = scope.spawn(|| env.close("work"));
        // Whether it comes before, during or after: a keeper that stays answers it.
        wait_until("it is on its way out", SOON, || {
            env.row("work").is_none_or(|row| row["status"] != "open")
        });
        let opened = env.open("work");
        closing.join().expect("it closes");
        opened
    });
    assert_eq!(second["started"], "started", "{second:#}");
    assert_ne!(second["keeper_pid"], first["keeper_pid"]);
    assert_eq!(env.eval("work", "1 + 1"), 2);
    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn opening_and_closing_by_several_never_leaves_two() {
    let env = TestEnv::new();
    thread::scope(|scope| {
        for number in 0..3 {
            let env = &env;
            scope.spawn(move || {
                for _ in 0..2 {
                    env.szk(["open", "work", "--detach"]).ok();
                    assert!(env.browsers().len() <= 1, "two browsers on one profile");
                    let ended = env.szk(["close", "work", "--json"]).run();
                    // Another one may have been faster.
                    assert!(
                        ended.code == Some(0) || ended.failure()["code"] == "SESSION_NOT_FOUND",
                        "{number}: {ended:#?}"
                    );
                }
            });
        }
    });
    wait_until("it is closed", SOON, || {
        env.row("work").is_some_and(|row| row["status"] == "stored")
    });
    env.no_chromium_is_left();
}

#[test]
fn closing_twice_at_once_is_closing() {
    let env = TestEnv::new();
    let mut one = env.mcp();
    let mut two = env.mcp();
    one.open_session("work");
    two.open_session("work");
    let first = one.post("session_close", json!({"session": "work"}));
    let second = two.post("session_close", json!({"session": "work"}));
    let answers = [one.answer(first), two.answer(second)];
    let closed = answers
        .iter()
        .filter(|answer| answer["result"]["isError"] == false)
        .count();
    assert!(closed >= 1, "{answers:#?}");
    env.no_chromium_is_left();
}

#[test]
fn several_profiles_at_once_do_not_meet() {
    let env = TestEnv::new();
    let names = ["one", "two", "three"];
    thread::scope(|scope| {
        for name in names {
            let env = &env;
            scope.spawn(move || {
                env.open(name);
                assert_eq!(
                    env.eval(name, &format!("globalThis.own = '{name}'; return own")),
                    name
                );
            });
        }
    });
    let mut profiles: Vec<String> = env
        .browsers()
        .iter()
        .filter_map(|browser| Some(browser.profile()?.to_owned()))
        .collect();
    profiles.sort();
    assert_eq!(profiles, ["one", "three", "two"]);
    // The call must now say which one it means.
    let failure = env.szk(["run-code", "1"]).fails("AMBIGUOUS");
    assert!(
        names
            .iter()
            .all(|name| failure["message"].as_str().unwrap().contains(name)),
        "{failure}"
    );
}
