//! The official SDKs as clients, in every protocol version that they speak. They hold each structured
//! result against the schema that its tool declares.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Site, TestEnv, script};

const VERSIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Runs a client on an open session and checks what every version gets.
fn check(client: impl FnOnce(&TestEnv, &[&str]) -> Value) -> Value {
    let env = TestEnv::new();
    let site = Site::of("<title>seen</title><h1>Hello</h1>");
    env.open("work");
    let url = site.url("/");
    let mut args = vec![env!("CARGO_BIN_EXE_szk"), &url];
    args.extend(VERSIONS);
    let all = client(&env, &args);
    for version in VERSIONS {
        let said = &all[version];
        assert_eq!(said["version"], version, "{said:#}");
        assert_eq!(said["tools"], 36);
        let resources = said["resources"].as_array().unwrap();
        assert!(resources.contains(&json!("szk://sessions")), "{said:#}");
        assert!(
            resources.contains(&json!("szk://sessions/work/tabs")),
            "{said:#}"
        );
        assert_eq!(said["prompts"], 1);
        assert_eq!(said["title"], true, "{said:#}");
        assert_eq!(said["failed"], true, "a failure passes the SDK's checks");
        assert_eq!(said["cancelled"], true);
        assert_eq!(said["changed"], "szk://sessions/work/tabs");
        // Not every SDK asks in the versions before there was a way to.
        let asked = said["asked"].as_array().unwrap().len();
        assert!(asked == 1 || version < "2025-06-18", "{said:#}");
        assert_eq!(said["person"], asked == 1, "{said:#}");
        // A call that waits for a person says so.
        assert!(
            said["progress"].as_u64() > Some(0) || asked == 0,
            "{said:#}"
        );
        if version >= "2025-06-18" {
            assert_eq!(said["value"], "seen", "{said:#}");
        }
    }
    all
}

#[test]
fn python_in_every_version() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    assert!(python.exists(), "run `scripts/python` (scripts/test does)");
    let all = check(|env, args| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/python/mcp_sdk.py");
        let script = script.display().to_string();
        let args = std::iter::once(script.as_str()).chain(args.iter().copied());
        let ended = env
            .program(python.to_str().unwrap(), args)
            .limit(Duration::from_secs(180))
            .ok();
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
    });
    let tasks = &all["2026-07-28"]["tasks"];
    assert_eq!(tasks["scraped"], true, "{tasks:#}");
    assert_eq!(tasks["person"], "done", "{tasks:#}");
    let seen = tasks["seen"].as_array().unwrap();
    assert!(seen.contains(&json!("input_required")), "{tasks:#}");
    assert_eq!(tasks["unknown"], -32602, "{tasks:#}");
}

/// It does not speak the tasks extension.
#[test]
fn typescript_in_every_version() {
    check(|env, args| script(env, "mcp-client.mjs", args));
}
