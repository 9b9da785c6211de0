//! Says what keeps programs and tests from running, and what to do about it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::harness::TestEnv;

fn message(failure: &Value) -> String {
    format!(
        "{}\n{}",
        failure["message"].as_str().unwrap(),
        failure["hint"].as_str().unwrap_or_default()
    )
}

#[test]
fn files_that_cannot_be_read_and_tests_that_are_not_there() {
    let env = TestEnv::new();
    env.project(&[(
        "tests/broken.spec.mjs",
        "import { test } from './szk.mjs';\ntest('a', () => {\n",
    )]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let mut fails = |input: Value, code: &str, parts: &[&str]| {
        let mut input = input;
        input["session"] = json!("work");
        let said = message(&mcp.fails("browser_run_test", input, code));
        for part in parts {
            assert!(said.contains(part), "`{part}` in {said}");
        }
    };
    fails(
        json!({}),
        "SCRIPT_FAILED",
        &["tests/broken.spec.mjs", "SyntaxError"],
    );
    env.file("tests/broken.spec.mjs", "import 'no-such-package';");
    fails(json!({}), "SCRIPT_FAILED", &["no-such-package"]);
    env.file(
        "tests/broken.spec.mjs",
        "throw new Error('thrown while loading');",
    );
    fails(json!({}), "SCRIPT_FAILED", &["thrown while loading"]);
    env.file(
        "tests/broken.spec.mjs",
        "import { test } from './szk.mjs';\ntest('a', () => {});",
    );
    fails(
        json!({"grep": "zzz"}),
        "NOT_FOUND",
        &["grep `zzz`", "szk init"],
    );
    fails(json!({"files": ["nowhere"]}), "NOT_FOUND", &["nowhere"]);
    fails(json!({"config": "other.mjs"}), "NOT_FOUND", &["other.mjs"]);
    fails(json!({"dir": "nowhere"}), "NOT_FOUND", &["nowhere"]);
    fails(json!({"project": "zzz"}), "SCRIPT_FAILED", &["zzz"]);
    env.file("playwright.config.mjs", "process.exit(3);");
    fails(json!({}), "SCRIPT_FAILED", &["before the first test", "3"]);
    env.file(
        "playwright.config.mjs",
        "export default { globalSetup: './setup.mjs' };",
    );
    env.file(
        "setup.mjs",
        "export default () => { throw new Error('no setup today'); };",
    );
    let result = mcp.call("browser_run_test", json!({"session": "work"}));
    assert_eq!(result["isError"], true, "{result:#}");
    assert!(
        result["content"].to_string().contains("no setup today"),
        "{result:#}"
    );
    env.no_program_is_left();
}

#[test]
fn tests_that_start_a_browser_of_their_own_are_told_apart() {
    let env = TestEnv::new();
    env.project(&[(
        "tests/own.spec.mjs",
        "import { test } from '@playwright/test';\ntest('joins nobody', () => {});",
    )]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let result = mcp.call("browser_run_test", json!({"session": "work"}));
    assert_eq!(result["structuredContent"]["joined"], false, "{result:#}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("no test joined this session"), "{text}");
}

#[test]
fn what_is_not_installed_is_named_with_the_command_that_installs_it() {
    let env = TestEnv::new();
    // No packages here or in any parent folder.
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let install = format!(
        "npm install --prefix '{}' --save-dev @playwright/test",
        env.work().display()
    );
    let said = message(&mcp.fails("browser_run_test", json!({}), "NOT_FOUND"));
    assert!(said.contains(&install), "{said}");
    let code = json!({"code": "1", "runner": "playwright"});
    let said = message(&mcp.fails("browser_run_code", code.clone(), "NOT_FOUND"));
    assert!(said.contains(&install), "{said}");
    mcp.ok("session_close", json!({}));

    let mut bare = TestEnv::new();
    let bin = bare.path().join("bin");
    fs::create_dir(&bin).unwrap();
    bare.set("PATH", &bin.display().to_string());
    let mut mcp = bare.mcp();
    mcp.open_session("work");
    for (tool, input) in [("browser_run_test", json!({})), ("browser_run_code", code)] {
        let said = message(&mcp.fails(tool, input, "NOT_FOUND"));
        assert!(
            said.contains("Node.js is not installed") && said.contains("apt install nodejs"),
            "{said}"
        );
    }
    bare.file("a.py", "def main(page): pass");
    let said = message(&mcp.fails("browser_run_file", json!({"path": "a.py"}), "NOT_FOUND"));
    assert!(said.contains("Python is not installed"), "{said}");
    // A Python without Playwright: the system's.
    symlink("/usr/bin/python3", bin.join("python3")).unwrap();
    let said = message(&mcp.fails("browser_run_file", json!({"path": "a.py"}), "NOT_FOUND"));
    assert!(said.contains("-m pip install playwright"), "{said}");
}

#[test]
fn policy_has_a_say() {
    let check = |policy: &str, tool: &str, input: Value, allowed: bool| {
        let env = TestEnv::new();
        env.config(&format!("[policy]\n{policy}\n"));
        env.packages();
        env.file("a.mjs", "export default () => 5;");
        let mut mcp = env.mcp();
        if allowed {
            assert_eq!(mcp.ok(tool, input)["value"], 5, "{policy}");
        } else {
            mcp.fails(tool, input, "POLICY_DENIED");
            assert!(env.programs().is_empty());
        }
    };
    let code = || json!({"code": "5", "runner": "playwright"});
    let file = || json!({"path": "a.mjs"});
    check("run_code = false", "browser_run_code", code(), false);
    check("programs = false", "browser_run_code", code(), false);
    check("programs = false", "browser_run_test", json!({}), false);
    check("programs = false", "session_run_test", json!({}), false);
    check("export_cookies = false", "browser_run_file", file(), false);
    check("write = []", "browser_run_code", code(), false);
    check(
        "read = []\nprograms = true",
        "browser_run_file",
        file(),
        false,
    );
    check(
        "read = [\".\"]\nprograms = true",
        "browser_run_file",
        file(),
        true,
    );
}
