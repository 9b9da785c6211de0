//! Invalid names never become a path, on any front end.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::json;

use crate::harness::TestEnv;

const BAD: [&str; 14] = [
    "", ".", "..", "../up", "a/b", "/etc", "a\\b", ".hidden", "-dash", "Work", "żółw", "a b",
    "a\u{0}b", "a\nb",
];

/// Everything below a folder, as paths.
fn all(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        found.push(entry.path().display().to_string());
        if entry.path().is_dir() {
            found.extend(all(&entry.path()));
        }
    }
    found.sort();
    found
}

#[test]
fn mcp_refuses_them_and_nothing_is_made() {
    let env = TestEnv::new();
    let long = "x".repeat(300);
    let mut mcp = env.mcp();
    let before = all(env.path());
    for name in BAD.into_iter().chain([long.as_str(), &long[..65]]) {
        for tool in [
            "session_open",
            "session_close",
            "session_endpoint",
            "session_delete",
            "browser_screenshot",
        ] {
            let failure = mcp.fails(tool, json!({"session": name}), "INVALID_INPUT");
            assert!(
                failure["message"].as_str().unwrap().len() < 400,
                "{failure}"
            );
        }
        mcp.fails(
            "session_open",
            json!({"session": name, "clone": true}),
            "INVALID_INPUT",
        );
        mcp.fails(
            "session_state",
            json!({"session": name, "action": "export"}),
            "INVALID_INPUT",
        );
        mcp.fails(
            "browser_navigate",
            json!({"session": name, "url": "about:blank"}),
            "INVALID_INPUT",
        );
        mcp.fails(
            "browser_run_code",
            json!({"session": name, "code": "1"}),
            "INVALID_INPUT",
        );
    }
    assert_eq!(all(env.path()), before);
}

#[test]
fn the_terminal_refuses_them_and_nothing_is_made() {
    let env = TestEnv::new();
    let long = "x".repeat(300);
    let before = all(env.path());
    for name in BAD.into_iter().chain([long.as_str(), &long[..65]]) {
        // An argument cannot contain a zero byte, and a leading dash makes it an option unless `--`
        // comes first.
        if name.contains('\0') {
            continue;
        }
        for args in [
            &["open", "--detach"][..],
            &["open"],
            &["close"],
            &["endpoint"],
            &["delete"],
            &["state", "export"],
        ] {
            let ended = env
                .szk(args.iter().copied().chain(["--json", "--", name]))
                .run();
            assert_eq!(ended.code, Some(2), "{args:?} {name:?} {ended:#?}");
            assert_eq!(
                ended.failure()["code"],
                "INVALID_INPUT",
                "{args:?} {name:?}"
            );
        }
        let run = env.szk(["run", "--json", name, "--", "true"]).run();
        assert_eq!(run.code, Some(2), "{name:?} {run:#?}");
    }
    let odd = env
        .szk(["open", "--detach", "--"])
        .arg(std::ffi::OsStr::from_bytes(b"a\xff"))
        .run();
    assert_eq!(odd.code, Some(2), "{odd:#?}");
    assert_eq!(all(env.path()), before);
}

#[test]
fn a_name_close_to_it_is_suggested() {
    let env = TestEnv::new();
    let failure = env.szk(["open", "My Shop"]).fails("INVALID_INPUT");
    assert!(
        failure["hint"].as_str().unwrap().contains("`my-shop`"),
        "{failure}"
    );
}

#[test]
fn the_longest_and_the_shortest_name_are_names() {
    let env = TestEnv::new();
    for name in ["a", &"x".repeat(64), "0.a_b-c"] {
        assert_eq!(env.open(name)["session"], name);
        assert_eq!(env.eval(name, "1"), 1);
        env.close(name);
    }
}
