//! `browser_run_test`: tests that end, however they end.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Mcp, Site, TestEnv};

const ALL_KINDS: &str = r#"
import { writeFileSync } from 'node:fs';
import { test, expect } from './szk.mjs';

test('at the top', async ({ page }) => { await page.goto('about:blank'); });

test.describe('outer', () => {
  test.describe('inner', () => {
    test('nested', async ({ page }) => {
      await page.setContent('<h1>hello</h1>');
      await expect(page.getByRole('heading')).toHaveText('hello');
    });
    test('nested and wrong', async ({ page }, info) => {
      await page.setContent('<h1 style="color:red">hello</h1>');
      await info.attach('picture', { body: await page.screenshot({ clip: { x: 0, y: 0, width: 60, height: 40 } }), contentType: 'image/png' });
      await info.attach('result', { body: JSON.stringify({ found: 3 }), contentType: 'application/json' });
      console.log('about to fail');
      expect(1 + 1).toBe(3);
    });
  });
  test.skip('left out', async () => {});
});

test('attached by path', async ({}, info) => {
  const path = info.outputPath('note.txt');
  writeFileSync(path, 'from a file');
  await info.attach('note', { path, contentType: 'text/plain' });
});

test('expected to fail', async () => { test.fail(); expect(1).toBe(2); });

test.describe('again', () => {
  test.describe.configure({ retries: 1 });
  test('only then', async ({}, info) => { expect(info.retry).toBe(1); });
});
"#;

#[track_caller]
fn named<'a>(output: &'a Value, title: &str) -> &'a Value {
    let all = output["tests"].as_array().expect("a list of tests");
    let found = all.iter().find(|test| test["title"] == title);
    found.unwrap_or_else(|| panic!("no `{title}` in {output:#}"))
}

/// Runs them; the result must be unmet, and still complete.
#[track_caller]
fn unmet(mcp: &mut Mcp, input: Value) -> (Value, Value) {
    let result = mcp.call("browser_run_test", input);
    assert_eq!(result["isError"], true, "{result:#}");
    let output = result["structuredContent"].clone();
    assert_eq!(output["ok"], false, "{result:#}");
    (output, result)
}

#[test]
fn every_test_is_told_with_its_errors_and_attachments() {
    let env = TestEnv::new();
    env.project(&[("tests/all.spec.mjs", ALL_KINDS)]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let (output, result) = unmet(&mut mcp, json!({"session": "work"}));

    let counts = ["total", "passed", "failed", "flaky", "skipped", "not_run"];
    let seen: Vec<u64> = counts
        .iter()
        .map(|name| output[name].as_u64().unwrap())
        .collect();
    assert_eq!(seen, [7, 4, 1, 1, 1, 0], "{output:#}");
    assert_eq!(output["tests"].as_array().map(Vec::len), Some(7));
    assert_eq!(output["joined"], true, "{output:#}");
    let outcome = |title: &str| named(&output, title)["outcome"].clone();
    assert_eq!(outcome("outer › inner › nested"), "passed");
    assert_eq!(outcome("outer › left out"), "skipped");
    assert_eq!(outcome("expected to fail"), "passed");
    assert_eq!(outcome("again › only then"), "flaky");
    assert_eq!(named(&output, "again › only then")["retries"], 1);

    let wrong = named(&output, "outer › inner › nested and wrong");
    assert_eq!(wrong["outcome"], "failed");
    let error = &wrong["errors"][0];
    assert!(
        error["message"].as_str().unwrap().contains("Expected: 3"),
        "{error}"
    );
    assert!(
        error["location"]
            .as_str()
            .unwrap()
            .starts_with("tests/all.spec.mjs:18:"),
        "{error}"
    );
    assert!(
        wrong["location"]
            .as_str()
            .unwrap()
            .starts_with("tests/all.spec.mjs:13:"),
        "{wrong}"
    );
    assert_eq!(wrong["attachments"][1]["text"], r#"{"found":3}"#);
    let picture = wrong["attachments"][0]["path"].as_str().unwrap();
    assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    let note = &named(&output, "attached by path")["attachments"][0];
    assert_eq!(note["text"], "from a file", "{note}");
    assert!(output["output"].as_str().unwrap().contains("about to fail"));

    // A model sees the same: the text, and the picture itself.
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("4 passed, 1 failed, 1 flaky, 1 skipped of 7 tests"),
        "{text}"
    );
    assert!(
        text.contains("FAILED: outer › inner › nested and wrong"),
        "{text}"
    );
    assert_eq!(result["content"][1]["type"], "image", "{result:#}");
    // The report is also in a file, and the browser is unchanged.
    let report = output["report"].as_str().unwrap();
    let kept: Value =
        serde_json::from_slice(&fs::read(format!("{report}/report.json")).unwrap()).unwrap();
    assert_eq!(kept, output);
    assert_eq!(
        env.row("work").unwrap()["tabs"].as_array().map(Vec::len),
        Some(1)
    );
    env.no_program_is_left();
}

#[test]
fn each_run_tells_of_itself_alone() {
    let env = TestEnv::new();
    env.project(&[(
        "tests/one.spec.mjs",
        "import { test } from './szk.mjs';\ntest('one', () => {});",
    )]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let first = mcp.ok("browser_run_test", json!({"session": "work"}));
    assert_eq!(
        (&first["passed"], &first["ok"]),
        (&json!(1), &json!(true)),
        "{first:#}"
    );
    // A broken configuration must not return last time's numbers.
    let good = fs::read_to_string(env.work().join("playwright.config.mjs")).unwrap();
    env.file(
        "playwright.config.mjs",
        "throw new Error('the configuration is broken');",
    );
    let failure = mcp.fails(
        "browser_run_test",
        json!({"session": "work"}),
        "SCRIPT_FAILED",
    );
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("the configuration is broken"),
        "{failure:#}"
    );
    assert!(message.contains("playwright.config.mjs"), "{failure:#}");
    env.file("playwright.config.mjs", &good);
    env.file("tests/one.spec.mjs", "import { test } from './szk.mjs';\ntest('one', () => { throw new Error('now wrong'); });\ntest('two', () => {});");
    let (second, _) = unmet(&mut mcp, json!({"session": "work"}));
    assert_eq!(
        (&second["passed"], &second["failed"]),
        (&json!(1), &json!(1)),
        "{second:#}"
    );
    assert_ne!(first["report"], second["report"]);
    let cli = env.szk(["run-test", "-s", "work", "--json"]).run();
    assert_eq!(cli.code, Some(1), "{cli:#?}");
    let third: Value = serde_json::from_str(&cli.stdout).unwrap();
    assert_eq!(third["failed"], 1, "{third:#}");
    let words = env.szk(["run-test", "-s", "work", "--grep", "two"]).ok();
    assert!(
        words.stdout.starts_with("1 passed of 1 test in"),
        "{words:#?}"
    );
}

#[test]
fn tests_are_chosen_and_told_what_they_need() {
    let env = TestEnv::new();
    let site = Site::of("<title>under test</title>");
    let spec = "import { test, expect } from './szk.mjs';
test('reads', async ({ page }) => {
  await page.goto(process.env.TEST_SITE);
  await expect(page).toHaveTitle('under test');
  console.log(`${process.env.TEST_COUNT} ${process.env.TEST_OWN} ${process.env.PATH.includes('/')}`);
});
test('another', () => {});";
    env.project(&[
        ("tests/a.spec.mjs", spec),
        ("tests/b.spec.mjs", spec),
        (
            "other.config.mjs",
            "export default { testDir: 'tests', workers: 1, projects: [{ name: 'small' }, { name: 'large' }] };",
        ),
    ]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let given = json!({
        "session": "work", "files": ["a.spec"], "grep": "rea", "config": "other.config.mjs", "project": "large",
        "params": {"site": site.url("/"), "count": 3, "TEST_own": true, "path": "nowhere"},
    });
    let output = mcp.ok("browser_run_test", given);
    assert_eq!(output["total"], 1, "{output:#}");
    assert_eq!(
        (&output["tests"][0]["title"], &output["tests"][0]["project"]),
        (&json!("reads"), &json!("large"))
    );
    assert!(
        output["output"].as_str().unwrap().contains("3 true true"),
        "{output:#}"
    );
    // Both projects: each test twice.
    let both =
        json!({"session": "work", "grep": "another", "config": "other.config.mjs", "workers": 2});
    assert_eq!(mcp.ok("browser_run_test", both)["total"], 4);
    let elsewhere = json!({"session": "work", "dir": env.work().join("tests"), "grep": "another"});
    assert_eq!(mcp.ok("browser_run_test", elsewhere)["passed"], 2);
    let cli = env.szk([
        "run-test",
        "a.spec",
        "--grep",
        "reads",
        "-s",
        "work",
        "--json",
        "--param",
        &format!("site={}", site.url("/")),
        "--param",
        "count=x",
    ]);
    assert_eq!(cli.json()["passed"], 1);
    for wrong in [
        json!({"params": {"NODE=x": 1}}),
        json!({"files": ["--config=x"]}),
        json!({"nonsense": 1}),
    ] {
        let mut input = wrong.clone();
        input["session"] = json!("work");
        mcp.fails("browser_run_test", input, "INVALID_INPUT");
    }
}

#[test]
fn each_test_is_told_as_progress() {
    let env = TestEnv::new();
    env.project(&[(
        "tests/one.spec.mjs",
        "import { test } from './szk.mjs';\ntest('one', () => {});\ntest('two', () => {});",
    )]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let call = json!({"name": "browser_run_test", "arguments": {"session": "work"}, "_meta": {"progressToken": "p"}});
    let id = mcp.request("tools/call", call);
    let last = mcp.next("progress", crate::harness::PATIENTLY, |message| {
        let params = &message["params"];
        message["method"] == "notifications/progress" && params["message"] == "passed: two"
    });
    // After the steps of opening the session.
    assert_eq!(
        last["params"]["progress"], last["params"]["total"],
        "{last}"
    );
    assert_eq!(mcp.answer(id)["result"]["structuredContent"]["passed"], 2);
}

#[test]
fn as_a_step_of_a_batch() {
    let env = TestEnv::new();
    env.project(&[(
        "tests/one.spec.mjs",
        "import { test } from './szk.mjs';\ntest('one', () => { throw new Error('wrong'); });",
    )]);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let steps = json!([
        {"tool": "browser_run_test"},
        {"tool": "browser_run_code", "input": {"code": "1"}},
    ]);
    let result = mcp.call("browser_batch", json!({"session": "work", "steps": steps}));
    assert_eq!(result["isError"], true, "{result:#}");
    let done = &result["structuredContent"]["steps"];
    assert_eq!(done.as_array().map(Vec::len), Some(1), "{result:#}");
    assert_eq!(done[0]["data"]["failed"], 1, "{result:#}");
}

/// While tests run, an agent works in the same browser, and each sees the other's work.
#[test]
fn beside_an_agent() {
    let env = TestEnv::new();
    let site = Site::of("<title>waits</title>");
    let spec = "import { test } from './szk.mjs';
test('meets the agent', async ({ page }) => {
  await page.goto(process.env.TEST_SITE);
  await page.waitForFunction(() => document.title === 'the agent was here');
  await page.evaluate(() => { document.title = 'and so were the tests'; });
  await page.waitForFunction(() => document.title === 'done');
});";
    env.project(&[("tests/meet.spec.mjs", spec)]);
    let (mut testing, mut agent) = (env.mcp(), env.mcp());
    testing.open_session("work");
    agent.open_session("work");
    let given = json!({"session": "work", "params": {"site": site.url("/")}, "timeout_ms": 50_000});
    let run = testing.post("browser_run_test", given);
    let mut titles = |set: Option<&str>, wanted: &str| {
        crate::harness::wait_until(wanted, crate::harness::PATIENTLY, || {
            let tabs = agent.ok("browser_tabs", json!({"session": "work"}));
            let at_site = tabs["tabs"].as_array().unwrap().iter().find(|tab| {
                tab["url"]
                    .as_str()
                    .is_some_and(|url| url.starts_with(&site.origin()))
            });
            let Some(tab) = at_site else { return false };
            let code = json!({"session": "work", "tab": tab["id"], "code": "document.title"});
            let seen = agent.call("browser_run_code", code);
            seen["structuredContent"]["value"] == wanted && set.is_none_or(|title| {
                let code = json!({"session": "work", "tab": tab["id"], "code": format!("document.title = '{title}'")});
                agent.ok("browser_run_code", code)["value"] == title
            })
        });
    };
    titles(Some("the agent was here"), "waits");
    titles(Some("done"), "and so were the tests");
    let result = testing.answer(run)["result"].clone();
    assert_eq!(result["structuredContent"]["passed"], 1, "{result:#}");
    assert_eq!(env.browsers().len(), 1);
}
