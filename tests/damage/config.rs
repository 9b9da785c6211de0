//! Unusable configuration files stop the start and say where.

use std::fs;

use crate::harness::TestEnv;

#[track_caller]
fn refused(bytes: &[u8], parts: &[&str]) {
    let env = TestEnv::new();
    fs::write(env.work().join("szk.config.toml"), bytes).unwrap();
    let ended = env.szk(["open", "work", "--detach", "--json"]).run();
    assert_eq!(ended.code, Some(8), "{ended:#?}");
    let failure = ended.failure();
    assert_eq!(failure["code"], "INVALID_CONFIG");
    let message = failure["message"].as_str().unwrap();
    for part in parts.iter().chain(&["szk.config.toml"]) {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(env.chromium_processes().is_empty());
}

#[test]
fn corrupt() {
    refused(b"\x00\xff\xfe garbage", &[]);
    refused(b"[session", &[":1:", "^"]);
}

#[test]
fn half_written() {
    refused(
        b"[session]\nlinger_minutes = 5\nrestore_tabs = tr",
        &[":3:"],
    );
}

#[test]
fn with_keys_of_a_newer_szk() {
    refused(b"[session]\nteleport = true\n", &["teleport", ":2:1"]);
    refused(b"[telepathy]\nx = 1\n", &["telepathy"]);
}

#[test]
fn a_folder_in_its_place() {
    let env = TestEnv::new();
    fs::create_dir(env.work().join("szk.config.toml")).unwrap();
    env.szk(["open", "work", "--detach"])
        .fails("INVALID_CONFIG");
}

#[test]
fn one_that_is_named_and_missing() {
    let mut env = TestEnv::new();
    env.set("SZK_CONFIG", "nowhere.toml");
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("INVALID_CONFIG");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("nowhere.toml"),
        "{failure}"
    );
}

#[test]
fn a_running_session_is_not_disturbed_by_a_file_that_breaks_later() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    env.config("[brok");
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
    fs::remove_file(env.work().join("szk.config.toml")).unwrap();
    env.close("work");
    env.no_chromium_is_left();
}
