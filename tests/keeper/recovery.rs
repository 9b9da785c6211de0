//! Chromium dies while its keeper lives.

use serde_json::json;

use crate::harness::process::Process;
use crate::harness::{PATIENTLY, SOON, Signal, Site, TestEnv, wait_for, wait_until};

/// Kills Chromium and waits for the next one.
#[track_caller]
fn kill_chromium(env: &TestEnv) -> Process {
    let old = env.browser();
    old.signal(Signal::KILL);
    wait_for("Chromium is started again", PATIENTLY, || {
        env.browsers().into_iter().find(|browser| *browser != old)
    })
}

#[test]
fn calls_wait_for_the_next_one_and_find_their_tab() {
    let env = TestEnv::new();
    let site = Site::of("<title>kept</title>");
    let mut mcp = env.mcp();
    let before = mcp.open_session("work");
    mcp.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    for _ in 0..2 {
        let next = kill_chromium(&env);
        wait_until("the tab is back", SOON, || {
            mcp.eval("work", "document.title") == "kept"
        });
        assert_eq!(env.browser(), next);
    }
    assert_eq!(mcp.open_session("work")["keeper_pid"], before["keeper_pid"]);
}

#[test]
fn only_the_call_that_was_running_fails() {
    let site = Site::of("<title>kept</title>");
    for _ in 0..3 {
        let env = TestEnv::new();
        let mut mcp = env.mcp();
        mcp.open_session("work");
        let page = json!({"session": "work", "url": site.url("/")});
        for _ in 0..2 {
            env.browser().signal(Signal::KILL);
            // Chromium may end before the first call, in the middle of it, or after it.
            let mut failed = 0;
            while mcp.call("browser_navigate", page.clone())["isError"] == true {
                failed += 1;
                assert!(failed < 2, "a call does not wait for the restart");
            }
        }
    }
}

#[test]
fn a_call_that_was_running_fails_and_says_so() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let id = mcp.post(
        "browser_run_code",
        json!({"session": "work", "code": "new Promise(() => {})"}),
    );
    // It has started once the page is busy with it: a second call on the same page gets an answer.
    mcp.eval("work", "1");
    let began = std::time::Instant::now();
    kill_chromium(&env);
    let failure = crate::harness::mcp::failure(&mcp.answer(id)["result"]);
    assert_eq!(failure["code"], "BROWSER_CRASHED", "{failure}");
    assert_eq!(failure["effect"], "unknown", "{failure}");
    assert!(
        began.elapsed() < SOON,
        "it does not wait for its time budget"
    );
}

#[test]
fn the_endpoint_stays_where_it_is() {
    let env = TestEnv::new();
    env.open("work");
    let before = env.endpoint("work");
    let mut first = crate::harness::Driver::puppeteer(&env, &before);
    kill_chromium(&env);
    assert_eq!(env.eval("work", "1"), 1);
    assert_eq!(env.endpoint("work")["ws_url"], before["ws_url"]);
    let error = first.throws("return page.title()");
    assert!(!error.is_empty());
    let mut second = crate::harness::Driver::puppeteer(&env, &before);
    assert_eq!(second.run("return page.evaluate(() => 6 * 7)"), 42);
}

#[test]
fn a_browser_that_always_dies_is_given_up() {
    let env = TestEnv::new();
    let opened = env.open("work");
    let pid = u32::try_from(opened["keeper_pid"].as_u64().unwrap()).unwrap();
    let keeper = Process::find(pid).unwrap();
    wait_until("the keeper gives up", PATIENTLY, || {
        env.browsers()
            .iter()
            .for_each(|browser| browser.signal(Signal::KILL));
        !keeper.lives()
    });
    env.no_chromium_is_left();
    let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    assert!(!log.is_empty());
    // And the profile can be opened again.
    assert_eq!(env.open("work")["started"], "started");
}

#[test]
fn it_comes_back_in_the_same_mode() {
    let env = TestEnv::new();
    env.szk(["open", "work", "--detach", "--headless=true"])
        .ok();
    let next = kill_chromium(&env);
    assert!(
        next.flags().any(|flag| flag == "--ozone-platform=headless"),
        "{next:#?}"
    );
}
