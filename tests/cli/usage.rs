//! Help, usage errors, closed pipes.

use std::io::Read;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::TestEnv;

#[test]
fn without_a_command_it_says_hello() {
    let env = TestEnv::new();
    let hello = env.szk([]).ok();
    assert!(hello.stdout.contains("szk open"), "{hello:#?}");
    assert!(!env.store().exists());
}

#[test]
fn help_and_version_are_answers() {
    let env = TestEnv::new();
    let help = env.szk(["--help"]).ok();
    for command in [
        "open",
        "close",
        "list",
        "delete",
        "endpoint",
        "state",
        "run",
        "mcp",
        "config",
        "doctor",
        "completions",
    ] {
        assert!(
            help.stdout.contains(&format!("\n  {command}")),
            "{command}: {help:#?}"
        );
    }
    assert!(!help.stdout.contains("\n  keeper"), "{help:#?}");
    assert_eq!(
        env.szk(["--version"]).ok().stdout,
        format!("szk {}\n", env!("CARGO_PKG_VERSION"))
    );
    // The long names are the catalogue's.
    for long in [
        &["session", "open", "--help"][..],
        &["browser", "navigate", "--help"],
    ] {
        assert!(
            env.szk(long.iter().copied()).ok().stdout.contains("Usage"),
            "{long:?}"
        );
    }
}

#[test]
fn with_json_a_wrong_call_is_told_as_json() {
    let env = TestEnv::new();
    for (args, message, hint) in [
        (
            &["opne", "--json"][..],
            "unrecognized subcommand 'opne'",
            "'open'",
        ),
        (
            &["open", "--json"],
            "required arguments were not provided: <PROFILE>",
            "Usage: szk open",
        ),
        (
            &["list", "--jsn", "--json"],
            "unexpected argument '--jsn'",
            "--help",
        ),
    ] {
        let ended = env.szk(args.iter().copied()).run();
        assert_eq!(ended.code, Some(2), "{args:?} {ended:#?}");
        let told: Value = serde_json::from_str(&ended.stderr).expect("JSON");
        let error = &told["error"];
        assert_eq!(error["code"], "INVALID_INPUT", "{told}");
        assert!(
            error["message"].as_str().unwrap().contains(message),
            "{told}"
        );
        assert!(error["hint"].as_str().unwrap().contains(hint), "{told}");
    }
    // What follows `--` is for another program.
    let ended = env.szk(["opne", "--", "--json"]).run();
    assert!(ended.stderr.starts_with("error: "), "{ended:#?}");
}

#[test]
fn a_wrong_call_is_told_and_changes_nothing() {
    let env = TestEnv::new();
    for args in [
        &["opne", "work"][..],
        &["open"],
        &["open", "work", "--presset", "x"],
        &["open", "work", "--preset", "a", "--locale", "b"],
    ] {
        let ended = env.szk(args.iter().copied()).run();
        assert_eq!(ended.code, Some(2), "{args:?} {ended:#?}");
        assert!(
            ended.stdout.is_empty() && !ended.stderr.is_empty(),
            "{ended:#?}"
        );
    }
    let slip = env.szk(["opne"]).run();
    assert!(
        slip.stderr.contains("open"),
        "the nearest is named: {slip:#?}"
    );
    assert!(!env.store().exists());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let env = TestEnv::new();
    let mut child = env
        .command(env!("CARGO_BIN_EXE_szk"))
        .args(["config", "explain", "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}
