//! Exports do what the recipe does.

use std::path::Path;

use serde_json::{Value, json};

use super::replay::shop;
use crate::harness::TestEnv;

#[test]
fn exports_run_unchanged() {
    let env = TestEnv::new();
    let site = shop();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for (field, text) in [("[name=q]", "1001"), ("[name=code]", "typed-secret")] {
        mcp.ok(
            "browser_act",
            json!({"kind": "fill", "selector": field, "text": text}),
        );
    }
    mcp.ok("browser_act", json!({"kind": "click", "selector": "#go"}));
    mcp.ok("recipe_save", json!({"name": "find"}));
    let mut export = |format: &str| {
        let input = json!({"name": "find", "format": format});
        let text = mcp.ok("recipe_export", input)["text"].clone();
        text.as_str().unwrap().to_owned()
    };
    let (test, program, steps) = (export("typescript"), export("python"), export("batch"));
    let searched = || {
        let asked = site.asked();
        let last = asked.iter().rev().find(|one| one.path == "/found").unwrap();
        (last.field("q"), last.field("code"))
    };
    let (order, code) = ("1002".to_owned(), "other".to_owned());

    env.project(&[("tests/find.spec.mjs", &test), ("find.py", &program)]);
    let params = json!({"q": order, "code": code});
    let ran = mcp.call("browser_run_test", json!({"params": params}));
    assert_eq!(ran["structuredContent"]["passed"], 1, "{ran:#}\n{test}");
    assert_eq!(searched(), (order, code));

    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    let python = std::path::absolute(python).unwrap().display().to_string();
    assert!(
        Path::new(&python).exists(),
        "run `scripts/python` (scripts/test does)"
    );
    env.szk(["run", "work", "--", &python, "find.py"])
        .env("TEST_Q", "1003")
        .env("TEST_CODE", "third")
        .ok();
    assert_eq!(searched(), ("1003".to_owned(), "third".to_owned()));

    let steps = steps.replace("{{q}}", "1004").replace("{{code}}", "fourth");
    let steps: Value = serde_json::from_str(&steps).unwrap();
    mcp.ok("browser_batch", json!({"steps": steps}));
    assert_eq!(searched(), ("1004".to_owned(), "fourth".to_owned()));
}
