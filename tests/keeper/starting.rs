//! Where a keeper can live, and how it is started.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use szk_tools::session::{Open, OpenInput};

use crate::harness::TestEnv;

#[test]
fn in_a_store_with_a_long_and_odd_path() {
    let mut env = TestEnv::new();
    // Longer than a Unix socket's path may be, with characters that trip up shells and URLs.
    let store = env
        .path()
        .join("a b/żółw 'quoted'")
        .join("deep/".repeat(20));
    env.set("SZK_STORE", &store.display().to_string());
    assert_eq!(env.open("work")["started"], "started");
    assert_eq!(env.open("work")["started"], "joined");
    assert_eq!(env.eval("work", "6 * 7"), 42);
    assert!(store.join("work/profile").is_dir());
    env.close("work");
    env.no_chromium_is_left();
}

#[test]
fn from_a_working_directory_that_is_gone() {
    let env = TestEnv::new();
    let gone = env.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let script = format!(
        "cd '{0}' && rmdir '{0}' && exec '{1}' open work --detach --json",
        gone.display(),
        env!("CARGO_BIN_EXE_szk")
    );
    env.program("sh", ["-c", &script]).ok();
    assert_eq!(env.eval("work", "6 * 7"), 42);
}

#[test]
fn only_with_an_order() {
    let env = TestEnv::new();
    for order in [
        "",
        "{}",
        "nonsense",
        "{\"store\": \"/nowhere\", \"session\": \"..\"}",
    ] {
        let ended = env.szk(["keeper"]).input(order).run();
        assert_eq!(ended.code, Some(2), "{order}: {ended:#?}");
        let said: serde_json::Value = serde_json::from_str(&ended.stdout)
            .unwrap_or_else(|error| panic!("{error}: {ended:#?}"));
        assert!(said["error"]["message"].is_string(), "{order}: {said}");
    }
    assert!(!env.store().exists());
}

#[test]
fn it_has_a_session_of_its_own_and_holds_nothing_of_its_starter() {
    let env = TestEnv::new();
    let opened = env.open("work");
    let pid = opened["keeper_pid"].as_u64().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    assert_eq!(
        fields[3],
        pid.to_string(),
        "a hang-up of the terminal must not reach it"
    );
    for stream in [0, 1] {
        let open = std::fs::read_link(format!("/proc/{pid}/fd/{stream}")).unwrap();
        assert!(
            !open.display().to_string().starts_with("pipe:") || stream == 0,
            "stream {stream} is {}",
            open.display()
        );
    }
}

/// Starts a keeper, and stops it for longer than a client waits for one answer as soon as it is ready: what a
/// very busy machine does.
const SLOW: &str = r#"#!/bin/sh
said=$(mktemp -u) && mkfifo "$said"
exec 3<&0
SZK keeper <&3 3<&- >"$said" &
keeper=$!
while read -r line; do
  case $line in '"ready"') kill -STOP "$keeper";; esac
  echo "$line"
done <"$said" &
sleep 0.1
until grep -q 'T (stopped)' "/proc/$keeper/status"; do sleep 0.05; done
sleep 7
kill -CONT "$keeper"
"#;

#[test]
fn one_that_is_slow_to_answer_is_waited_for() {
    let env = TestEnv::new();
    let program = env.path().join("slow");
    std::fs::write(&program, SLOW.replace("SZK", env!("CARGO_BIN_EXE_szk"))).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let client = env.client().with_program(program);
    let input = OpenInput {
        session: Some("work".to_owned()),
        ..OpenInput::default()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let opened = runtime.block_on(client.ask::<Open>(input));
    assert!(opened.is_ok(), "{opened:?}");
    assert_eq!(env.eval("work", "6 * 7"), 42);
}
