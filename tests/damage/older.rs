//! A profile that was used with a newer Chromium.

use std::fs;

use serde_json::{Value, json};

use crate::harness::TestEnv;

#[test]
fn it_is_not_opened_silently_with_an_older_one() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let path = env.in_profile("work", "meta.json");
    let mut meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let real = meta["chromium"].clone();
    assert!(
        real.as_str().is_some_and(|version| version.contains('.')),
        "the version is noted: {meta:#}"
    );
    meta["chromium"] = json!("999.0.1.2");
    fs::write(&path, meta.to_string()).unwrap();
    let failure = env
        .szk(["open", "work", "--detach"])
        .fails("PROFILE_UNUSABLE");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("999")
            && message.contains(real.as_str().unwrap().split('.').next().unwrap()),
        "{failure}"
    );
    env.no_chromium_is_left();
    let mut mcp = env.mcp();
    mcp.fails(
        "session_open",
        json!({"session": "work"}),
        "PROFILE_UNUSABLE",
    );
    // A version newer than last time's is no problem.
    meta["chromium"] = json!("99.0.1.2");
    fs::write(&path, meta.to_string()).unwrap();
    env.open("work");
    let now: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(now["chromium"], real);
}
