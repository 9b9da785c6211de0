//! `session_run_test`: opens or clones, navigates, tests, and finishes.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{PATIENTLY, Site, TestEnv, wait_for, wait_until};

const SPEC: &str = "import { test, expect } from './szk.mjs';
test('is where it should be', async ({ context }) => {
  const [page] = context.pages();
  await expect(page).toHaveTitle('under test');
  await page.evaluate(() => localStorage.setItem('tested', 'yes'));
});
test('wrong', () => { test.skip(!process.env.TEST_WRONG); throw new Error('as asked'); });
test('hangs', async () => { test.skip(!process.env.TEST_HANG); test.setTimeout(0); await new Promise(() => setInterval(() => {}, 1000)); });";

fn open() -> (TestEnv, Site) {
    let env = TestEnv::new();
    env.project(&[("tests/a.spec.mjs", SPEC)]);
    (env, Site::of("<title>under test</title>"))
}

fn names(env: &TestEnv) -> Vec<String> {
    let list = env.szk(["list", "--json"]).json();
    let rows = list["sessions"].as_array().unwrap().iter();
    rows.map(|row| row["session"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_clone_is_tested_and_gone() {
    let (env, site) = open();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let mut mcp = env.mcp();
    let input = json!({"session": "work", "clone": true, "url": site.url("/")});
    let output = mcp.ok("session_run_test", input.clone());
    assert_eq!(
        (&output["passed"], &output["then"], &output["clone_of"]),
        (&json!(1), &json!("destroy"), &json!("work")),
        "{output:#}"
    );
    assert_eq!(names(&env), ["work"]);
    assert_eq!(
        env.eval("work", "localStorage.getItem('tested')"),
        Value::Null
    );
    // The report outlives the clone.
    assert!(
        Path::new(output["report"].as_str().unwrap())
            .join("report.json")
            .exists()
    );
    // Whatever goes wrong, the clone is deleted too.
    for (change, code) in [
        (json!({"url": "http://127.0.0.1:9/"}), "NAVIGATION_FAILED"),
        (json!({"grep": "zzz"}), "NOT_FOUND"),
        (
            json!({"params": {"hang": 1}, "timeout_ms": 6000}),
            "TIMEOUT",
        ),
    ] {
        let mut input = input.clone();
        for (key, value) in change.as_object().unwrap() {
            input[key] = value.clone();
        }
        let failure = mcp.fails("session_run_test", input, code);
        assert!(
            failure["message"].as_str().unwrap().contains("is deleted"),
            "{failure:#}"
        );
        assert_eq!(names(&env), ["work"], "{change}");
    }
    let mut wrong = input.clone();
    wrong["params"] = json!({"wrong": 1});
    let result = mcp.call("session_run_test", wrong);
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["failed"]),
        (&json!(true), &json!(1)),
        "{result:#}"
    );
    assert_eq!(names(&env), ["work"]);
    // If kept, it is there; if cancelled, it is not.
    let mut keep = input.clone();
    keep["then"] = json!("keep");
    let kept = mcp.ok("session_run_test", keep)["session"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(mcp.eval(&kept, "localStorage.getItem('tested')"), "yes");
    mcp.ok("session_close", json!({"session": kept, "save": false}));
    let mut hang = input;
    hang["params"] = json!({"hang": 1});
    let id = mcp.post("session_run_test", hang);
    wait_for("a test runs in the clone", PATIENTLY, || {
        (env.programs().len() > 2).then_some(())
    });
    mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    wait_until("the clone is gone", PATIENTLY, || names(&env) == ["work"]);
    env.no_program_is_left();
}

#[test]
fn where_programs_may_not_run_nothing_is_opened() {
    let env = TestEnv::new();
    env.config("[policy]\nprograms = false\n");
    let mut mcp = env.mcp();
    let failure = mcp.fails("session_run_test", json!({}), "POLICY_DENIED");
    assert_eq!(failure["effect"], "none", "{failure}");
    assert!(names(&env).is_empty());
    env.no_chromium_is_left();
}

#[test]
fn a_profile_is_saved_and_one_that_was_open_stays() {
    let (env, site) = open();
    let url = site.url("/");
    env.open("work");
    env.close("work");
    let closed = env.szk(["test", "work", "--url", &url, "--json"]).json();
    assert_eq!(
        (&closed["passed"], &closed["then"]),
        (&json!(1), &json!("save")),
        "{closed:#}"
    );
    assert_eq!(env.row("work").unwrap()["status"], "stored");
    env.no_chromium_is_left();
    env.open("work");
    env.navigate("work", &url);
    assert_eq!(env.eval("work", "localStorage.getItem('tested')"), "yes");
    let joined = env
        .szk(["session", "run-test", "work", "--url", &url, "--json"])
        .json();
    assert_eq!(joined["then"], "keep", "{joined:#}");
    assert_eq!(env.row("work").unwrap()["status"], "open");
    let told = env.szk(["test", "work", "--then", "save"]).ok();
    assert!(
        told.stdout.contains("`work` is saved and closed"),
        "{told:#?}"
    );
    assert_eq!(env.row("work").unwrap()["status"], "stored");
    for wrong in [
        ["--then", "destroy"].as_slice(),
        &["--clone", "--then", "save"],
    ] {
        env.szk([&["test", "work"], wrong].concat())
            .fails("INVALID_INPUT");
    }
}
