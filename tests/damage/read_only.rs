//! Files and folders that cannot be written.

use std::fs;

use crate::harness::{Frozen, LoginSite, ReadOnly, SOON, TestEnv, wait_until};

#[test]
fn a_state_that_cannot_be_written_is_a_warning_and_is_written_when_it_can_be() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let login = LoginSite::serve();
    env.open("work");
    env.close("work");
    let path = env.in_profile("work", "state.json");
    let before = fs::read(&path).unwrap();
    {
        let _frozen = Frozen::new(&path);
        env.open("work");
        login.log_in(&env, "work");
        wait_until("it is told", SOON, || {
            env.open("work")["warnings"]
                .to_string()
                .contains("state.json")
        });
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    wait_until("it is saved", SOON, || {
        fs::read_to_string(&path).is_ok_and(|state| state.contains("\"sid\""))
    });
    env.close("work");
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn closing_with_a_state_that_cannot_be_written_closes_and_says_so() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let path = env.in_profile("work", "state.json");
    env.open("work");
    let _frozen = Frozen::new(&path);
    env.eval("work", "1");
    let closed = env.szk(["close", "work", "--json"]).json();
    assert_eq!(closed["saved"], false, "{closed:#}");
    assert!(
        closed["warnings"].to_string().contains("state.json"),
        "{closed:#}"
    );
    env.no_chromium_is_left();
}

#[test]
fn a_meta_that_cannot_be_written_is_a_clear_error() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let path = env.in_profile("work", "meta.json");
    {
        let _frozen = Frozen::new(&path);
        let failure = env.szk(["open", "work", "--detach"]).fails("STORAGE");
        assert!(
            failure["message"].as_str().unwrap().contains("meta.json"),
            "{failure}"
        );
        env.no_chromium_is_left();
    }
    env.open("work");
}

pub(super) fn a_disk_that_becomes_read_only_is_told_and_costs_nothing_that_was_saved() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let login = LoginSite::serve();
    env.open("work");
    login.log_in(&env, "work");
    let path = env.in_profile("work", "state.json");
    wait_until("the login is saved", SOON, || {
        fs::read_to_string(&path).is_ok_and(|state| state.contains("\"sid\""))
    });
    {
        let _disk = ReadOnly::mount(&env.in_profile("work", ""));
        env.eval("work", "document.cookie = 'more=1; path=/'; return 0");
        wait_until("it is told", SOON, || {
            env.open("work")["warnings"]
                .to_string()
                .to_lowercase()
                .contains("read-only")
        });
        let closed = env.szk(["close", "work", "--json"]).json();
        assert_eq!(closed["saved"], false, "{closed:#}");
        env.no_chromium_is_left();
        let failure = env.szk(["open", "work", "--detach"]).fails("STORAGE");
        let message = failure["message"].as_str().unwrap().to_lowercase();
        assert!(message.contains("read-only"), "{failure}");
        assert!(!failure["hint"].as_str().unwrap().is_empty(), "{failure}");
        env.no_chromium_is_left();
    }
    env.open("work");
    assert_eq!(login.who(&env, "work"), login.jane());
}

#[test]
fn a_store_that_cannot_be_written_is_a_clear_error() {
    let env = TestEnv::new();
    fs::create_dir(env.store()).unwrap();
    let _frozen = Frozen::new(&env.store());
    let failure = env.szk(["open", "work", "--detach"]).fails("STORAGE");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains(&env.store().display().to_string()),
        "{failure}"
    );
    assert!(
        failure["hint"].as_str().unwrap().contains("writable"),
        "{failure}"
    );
    let mut mcp = env.mcp();
    mcp.fails(
        "session_open",
        serde_json::json!({"session": "work"}),
        "STORAGE",
    );
    mcp.lives();
}

#[test]
fn a_configuration_that_cannot_be_written_is_only_read() {
    let env = TestEnv::new();
    env.config("[identity]\ntimezone = \"Asia/Tokyo\"\n");
    let _frozen = Frozen::new(&env.work().join("szk.config.toml"));
    env.open("work");
    assert_eq!(
        env.eval("work", "Intl.DateTimeFormat().resolvedOptions().timeZone"),
        "Asia/Tokyo"
    );
    env.close("work");
}
