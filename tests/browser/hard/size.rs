//! Pages with a lot on them, and a lot of pages.

use serde_json::json;

use crate::harness::{PATIENTLY, Site, TestEnv, wait_for};

#[test]
fn two_hundred_thousand_nodes() {
    let env = TestEnv::new();
    let site = Site::of(
        "<title>large</title><div id=all></div><button id=last onclick='this.ariaPressed = true'>Last</button>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let code = "all.innerHTML = '<section><p>Text <b>bold</b></p><a href=\"/x\">Link</a></section>'.repeat(50000); return document.querySelectorAll('*').length";
    let count = mcp.ok("browser_run_code", json!({"world": "main", "code": code}))["value"].clone();
    assert!(count.as_u64() > Some(200_000), "{count}");
    let long = |mut input: serde_json::Value| {
        input["timeout_ms"] = json!(120_000);
        input
    };
    for mode in ["interactive", "full"] {
        let taken = mcp.ok("browser_snapshot", long(json!({"mode": mode})));
        assert!(taken["snapshot"].as_str().unwrap().len() <= 45_000);
        let cursor = taken["cursor"].clone();
        let more = mcp.ok("browser_snapshot", long(json!({"cursor": cursor})));
        assert!(!more["snapshot"].as_str().unwrap().is_empty());
    }
    let part = mcp.ok("browser_snapshot", long(json!({"scope": "#last"})));
    let part = part["snapshot"].as_str().unwrap();
    let last = part.split(['[', ']']).nth(1).unwrap();
    mcp.ok("browser_act", long(json!({"kind": "click", "ref": last})));
    let pressed = mcp.eval("work", "document.querySelector('#last').ariaPressed");
    assert_eq!(pressed, "true");
    let text = mcp.ok("browser_extract", long(json!({"form": "text"})));
    assert!(text["content"].as_str().unwrap().len() <= 45_000);
}

/// Tabs are known from the events of their creation; calls do not ask all of them each time.
#[test]
fn three_hundred_tabs() {
    let env = TestEnv::new();
    env.config("[browser]\nargs = [\"--disable-popup-blocking\"]\n");
    let site = Site::of("<title>one of many</title><button>Go</button>");
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let open = json!({"tool": "browser_tabs", "input": {"action": "open"}});
    let steps = vec![open; 50];
    let done = mcp.ok(
        "browser_batch",
        json!({"steps": steps, "timeout_ms": 120_000}),
    );
    assert!(
        done.get("stopped").is_none_or(serde_json::Value::is_null),
        "{done}"
    );
    // Popups are of the page's own process: what costs here is not to be the processes of three hundred pages.
    let code = "for (let n = 0; n < 10; n++) open('about:blank')";
    for _ in 0..25 {
        mcp.ok(
            "browser_run_code",
            json!({"tab": "t1", "world": "main", "code": code}),
        );
    }
    let tabs = wait_for("all are there", PATIENTLY, || {
        let tabs = mcp.ok("browser_tabs", json!({}))["tabs"].clone();
        (tabs.as_array()?.len() == 301).then_some(tabs)
    });
    let last = tabs[300]["id"].clone();
    mcp.ok(
        "browser_navigate",
        json!({"tab": last, "url": site.url("/")}),
    );
    for tab in [json!("t1"), last] {
        let taken = mcp.ok("browser_snapshot", json!({"tab": tab}));
        assert!(
            taken["snapshot"].as_str().unwrap().contains("Go"),
            "{taken}"
        );
        mcp.ok(
            "browser_act",
            json!({"kind": "click", "tab": tab, "selector": "button"}),
        );
    }
}
