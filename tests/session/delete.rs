//! `session_delete`: never under a live keeper, and nothing outside the store.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::harness::TestEnv;

fn profiles(env: &TestEnv) -> Vec<String> {
    let list = env.szk(["list", "--json"]).json();
    let rows = list["sessions"].as_array().unwrap();
    rows.iter()
        .map(|row| row["session"].as_str().unwrap().to_owned())
        .collect()
}

/// Profiles that look used, although no browser has run.
fn stored(env: &TestEnv, names: &[&str]) {
    for name in names {
        let folder = env.store().join(name);
        fs::create_dir_all(folder.join("profile")).unwrap();
        fs::write(folder.join("profile/Cookies"), "secret").unwrap();
    }
}

#[test]
fn an_open_session_is_not_deleted_by_anybody() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let mut other = env.mcp();
    let failure = other.fails("session_delete", json!({"session": "work"}), "SESSION_BUSY");
    assert!(
        failure["hint"].as_str().unwrap().contains("close"),
        "{failure}"
    );
    env.szk(["delete", "work", "--yes"]).fails("SESSION_BUSY");
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
    assert!(env.in_profile("work", "profile").is_dir());
    mcp.ok("session_close", json!({"session": "work"}));
    assert_eq!(
        other.ok("session_delete", json!({"session": "work"}))["deleted"],
        json!(["work"])
    );
    assert!(!env.store().join("work").exists());
}

#[test]
fn one_open_session_refuses_the_whole_pattern() {
    let env = TestEnv::new();
    stored(&env, &["test-a", "test-z"]);
    env.open("test-m");
    env.szk(["delete", "test-*", "--yes"]).fails("SESSION_BUSY");
    assert_eq!(profiles(&env), ["test-a", "test-m", "test-z"]);
}

#[test]
fn what_was_used_lately_is_spared() {
    let env = TestEnv::new();
    stored(&env, &["test-new", "test-old"]);
    let used = |name: &str, ago: SignedDuration| {
        let at = Timestamp::now() - ago;
        let meta = json!({"version": 1, "name": name, "created": "2024-05-01T00:00:00Z", "last_used": at.to_string()});
        fs::write(env.store().join(name).join("meta.json"), meta.to_string()).unwrap();
    };
    used("test-new", SignedDuration::from_hours(24 * 29));
    used("test-old", SignedDuration::from_hours(24 * 31));
    let mut mcp = env.mcp();
    let old = json!({"session": "test-*", "unused_days": 30, "dry_run": true});
    assert_eq!(
        mcp.ok("session_delete", old)["deleted"],
        json!(["test-old"])
    );
    let none = env
        .szk(["delete", "*", "--unused-days", "300", "--yes"])
        .ok();
    assert!(none.stderr.contains("not used for 300 days"), "{none:?}");
    env.szk(["delete", "*", "--unused-days", "30", "--yes"])
        .ok();
    assert_eq!(profiles(&env), ["test-new"]);
}

#[test]
fn a_dry_run_only_says_what_would_go() {
    let env = TestEnv::new();
    stored(&env, &["keep", "test-1", "test-2", "test-30"]);
    let said = env.szk(["delete", "test-?", "--dry-run", "--json"]).json();
    assert_eq!(
        said,
        json!({"deleted": ["test-1", "test-2"], "dry_run": true})
    );
    assert_eq!(profiles(&env).len(), 4);
    let mut mcp = env.mcp();
    let said = mcp.ok(
        "session_delete",
        json!({"session": "test-*", "dry_run": true}),
    );
    assert_eq!(said["deleted"], json!(["test-1", "test-2", "test-30"]));
    assert_eq!(
        mcp.ok("session_delete", json!({"session": "test-*"}))["dry_run"],
        false
    );
    assert_eq!(profiles(&env), ["keep"]);
    assert_eq!(
        mcp.ok("session_delete", json!({"session": "none-*"}))["deleted"],
        json!([])
    );
    mcp.fails(
        "session_delete",
        json!({"session": "none"}),
        "SESSION_NOT_FOUND",
    );
}

#[test]
fn a_pattern_needs_a_yes_when_nobody_can_be_asked() {
    let env = TestEnv::new();
    stored(&env, &["a", "b"]);
    let failure = env.szk(["delete", "*"]).fails("INVALID_INPUT");
    assert!(
        failure["hint"].as_str().unwrap().contains("--yes"),
        "{failure}"
    );
    assert_eq!(profiles(&env), ["a", "b"]);
    env.szk(["delete", "*", "--yes"]).ok();
    assert!(profiles(&env).is_empty());
}

#[test]
fn links_and_strangers_in_the_store_are_left_alone() {
    let env = TestEnv::new();
    stored(&env, &["real"]);
    let outside = env.path().join("outside");
    fs::create_dir_all(outside.join("profile")).unwrap();
    fs::write(outside.join("profile/precious"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, env.store().join("link")).unwrap();
    std::os::unix::fs::symlink(&outside, env.in_profile("real", "profile/link")).unwrap();
    fs::write(env.store().join("README.md"), "x").unwrap();
    env.szk(["delete", "*", "--yes"]).ok();
    env.szk(["delete", "link", "--yes", "--json"]).run();
    assert!(outside.join("profile/precious").exists());
    assert!(env.store().join("README.md").exists());
    assert!(!env.store().join("real").exists());
}
