//! `browser_batch`.

use serde_json::json;

use crate::harness::{Lease, Site, TestEnv};

#[test]
fn steps_are_done_in_order_up_to_the_first_error_or_navigation() {
    let env = Lease::take();
    let site = Site::plan()
        .page("/a", "<title>a</title>")
        .page("/b", "<title>b</title>")
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let title = json!({"tool": "browser_run_code", "input": {"code": "document.title"}});
    let to = |path: &str| json!({"tool": "browser_navigate", "input": {"url": site.url(path)}});
    let done = mcp.ok(
        "browser_batch",
        json!({"steps": [to("/a"), title, to("/b"), title]}),
    );
    assert_eq!(done.get("stopped"), None, "{done:#}");
    assert_eq!(done["steps"][1]["data"]["value"], "a");
    assert_eq!(done["steps"][3]["data"]["value"], "b");
    let failing = json!({"tool": "browser_run_code", "input": {"code": "throw new Error('no')"}});
    let stopped = mcp.short("browser_batch", json!({"steps": [title, failing, title]}));
    assert_eq!(stopped["steps"].as_array().unwrap().len(), 2);
    assert_eq!(stopped["steps"][1]["error"]["code"], "SCRIPT_FAILED");
    mcp.fails(
        "browser_batch",
        json!({"steps": [failing, title]}),
        "SCRIPT_FAILED",
    );
    // A step that navigates on its own: plans for the old document are not carried out in the new one.
    let leaving = json!({"tool": "browser_run_code", "input": {
        "code": format!("new Promise(() => {{ location.href = '{}' }})", site.url("/a")), "timeout_ms": 5000
    }});
    let left = mcp.short("browser_batch", json!({"steps": [title, leaving, title]}));
    let done = &left["steps"];
    assert_eq!(done.as_array().unwrap().len(), 2, "{left:#}");
}

#[test]
fn all_steps_are_understood_before_the_first() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let open = json!({"tool": "browser_tabs", "input": {"action": "open"}});
    for wrong in [
        json!({"tool": "browser_fly"}),
        json!({"tool": "session_close"}),
        json!({"tool": "browser_batch", "input": {"steps": []}}),
        json!({"tool": "browser_navigate", "input": {"session": "other", "url": "a"}}),
        json!({"tool": "browser_navigate", "input": {"ulr": "a"}}),
    ] {
        mcp.fails(
            "browser_batch",
            json!({"steps": [open, wrong]}),
            "INVALID_INPUT",
        );
    }
    mcp.fails("browser_batch", json!({"steps": []}), "INVALID_INPUT");
    let tabs = mcp.ok("browser_tabs", json!({}));
    assert_eq!(
        tabs["tabs"].as_array().unwrap().len(),
        1,
        "nothing was done"
    );
    let told = env
        .szk(["batch", "-", "-s", "work", "--json"])
        .input(r#"[{"tool": "browser_run_code", "input": {"code": "1 + 1"}}]"#)
        .json();
    assert_eq!(told["steps"][0]["data"]["value"], 2);
}
