//! `meta.json`: a damaged one is moved aside, a newer one is left alone.

use std::fs;

use serde_json::{Value, json};

use crate::harness::TestEnv;

/// A profile with an identity of its own, closed, its meta replaced.
fn damaged(damage: impl Fn(String) -> Vec<u8>) -> TestEnv {
    let env = TestEnv::new();
    env.szk(["open", "work", "--detach", "--timezone", "Asia/Tokyo"])
        .ok();
    env.close("work");
    let path = env.in_profile("work", "meta.json");
    fs::write(&path, damage(fs::read_to_string(&path).unwrap())).unwrap();
    env
}

#[track_caller]
fn opens_with_a_warning(env: &TestEnv) {
    let opened = env.open("work");
    assert!(
        opened["warnings"].to_string().contains("meta.json"),
        "{opened:#}"
    );
    let names: Vec<String> = fs::read_dir(env.store().join("work"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert!(
        names
            .iter()
            .any(|name| name.starts_with("meta.json.corrupt")),
        "{names:?}"
    );
    let meta: Value =
        serde_json::from_slice(&fs::read(env.in_profile("work", "meta.json")).unwrap()).unwrap();
    assert_eq!(meta["name"], "work");
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn corrupt() {
    opens_with_a_warning(&damaged(|_| b"not json".to_vec()));
}

#[test]
fn half_written() {
    opens_with_a_warning(&damaged(|whole| {
        whole.as_bytes()[..whole.len() / 2].to_vec()
    }));
}

#[test]
fn empty() {
    opens_with_a_warning(&damaged(|_| Vec::new()));
}

#[test]
fn with_one_wrong_field_the_others_are_kept() {
    let env = damaged(|whole| {
        let mut meta: Value = serde_json::from_str(&whole).unwrap();
        meta["created"] = json!("once upon a time");
        meta.to_string().into_bytes()
    });
    opens_with_a_warning(&env);
    assert_eq!(
        env.eval("work", "Intl.DateTimeFormat().resolvedOptions().timeZone"),
        "Asia/Tokyo"
    );
}

#[test]
fn from_a_newer_szk() {
    let env = damaged(|whole| {
        let mut meta: Value = serde_json::from_str(&whole).unwrap();
        meta["version"] = json!(999);
        meta.to_string().into_bytes()
    });
    let before = fs::read(env.in_profile("work", "meta.json")).unwrap();
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("PROFILE_UNUSABLE");
    assert!(
        failure["hint"].as_str().unwrap().contains("update szk"),
        "{failure}"
    );
    assert_eq!(
        fs::read(env.in_profile("work", "meta.json")).unwrap(),
        before
    );
    env.no_chromium_is_left();
    assert!(
        env.row("work").unwrap()["note"]
            .as_str()
            .unwrap()
            .contains("999"),
        "it is still listed"
    );
}
