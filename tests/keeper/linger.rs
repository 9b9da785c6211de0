//! An idle keeper exits on its own.

use crate::harness::process::Process;
use crate::harness::{Driver, LoginSite, PATIENTLY, TestEnv, wait_until};

/// A minute is too long for a test: three seconds.
const SHORT: &str = "[session]\nlinger_minutes = 0.05\n";

fn keeper(env: &TestEnv, profile: &str) -> Process {
    let pid = env.row(profile).unwrap()["keeper_pid"]
        .as_u64()
        .expect("it is open");
    Process::find(u32::try_from(pid).unwrap()).expect("it runs")
}

/// Lets more time pass than a keeper lingers: opens a profile that nobody uses and waits for its end.
#[track_caller]
fn a_linger_goes_by(env: &TestEnv) {
    env.open("clock");
    let clock = keeper(env, "clock");
    wait_until("the unused one ends", PATIENTLY, || !clock.lives());
}

#[test]
fn after_its_time_it_saves_and_ends() {
    let env = TestEnv::new();
    env.config(SHORT);
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    let keeper = keeper(&env, "work");
    wait_until("nobody came", PATIENTLY, || !keeper.lives());
    env.no_chromium_is_left();
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn a_client_that_is_there_keeps_it_open() {
    let env = TestEnv::new();
    env.config(SHORT);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let keeper = keeper(&env, "work");
    a_linger_goes_by(&env);
    assert!(keeper.lives(), "a client is there");
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
    mcp.leave();
    wait_until("nobody is there any more", PATIENTLY, || !keeper.lives());
    env.no_chromium_is_left();
}

#[test]
fn a_program_at_the_endpoint_is_a_client() {
    let env = TestEnv::new();
    env.config(SHORT);
    env.open("work");
    let mut driver = Driver::puppeteer(&env, &env.endpoint("work"));
    let keeper = keeper(&env, "work");
    a_linger_goes_by(&env);
    assert!(keeper.lives(), "a program is connected");
    assert_eq!(driver.run("return page.evaluate(() => 6 * 7)"), 42);
    drop(driver);
    wait_until("nobody is there any more", PATIENTLY, || !keeper.lives());
}

#[test]
fn zero_is_never() {
    let env = TestEnv::new();
    env.config("[session]\nlinger_minutes = 0\n");
    env.open("work");
    let keeper = keeper(&env, "work");
    env.config(SHORT);
    a_linger_goes_by(&env);
    assert!(keeper.lives(), "it was started with 0");
}
