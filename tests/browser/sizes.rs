//! Answers stay at a size that a caller can take, whatever a page says.

use std::fs;

use serde_json::{Value, json};

use crate::harness::TestEnv;

/// Longest answer that a client may get, in bytes.
const MOST: usize = 450_000;

/// Memory of a process in kilobytes.
fn memory(pid: u64) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse().unwrap()
}

#[test]
fn what_a_page_makes_large_is_cut_and_kept_whole_in_a_file() {
    let env = TestEnv::new();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    let pid = env.row("work").unwrap()["keeper_pid"].as_u64().unwrap();
    for code in [
        "'x'.repeat(1e6)",
        "Array.from({length: 1e5}, (_, n) => n)",
        "Object.fromEntries(Array.from({length: 2e4}, (_, n) => ['name' + n, n]))",
    ] {
        let asked = json!({"code": code, "timeout_ms": 120_000});
        let result = mcp.call("browser_run_code", asked);
        assert_eq!(result["isError"], false, "{code}: {result:.500}");
        assert!(result.to_string().len() < MOST, "{code}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let path = text.rsplit_once("whole answer is in `").unwrap().1;
        let path = &path[..path.find('`').unwrap()];
        let kept: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let whole = mcp.eval("work", &format!("JSON.stringify({code}).length"));
        let kept = kept["data"]["value"].to_string().len();
        assert_eq!(kept as u64, whole.as_u64().unwrap(), "{code}");
    }
    for code in ["'x'.repeat(2e8)", "Array(30).fill('x'.repeat(1e6))"] {
        let failure = mcp.fails(
            "browser_run_code",
            json!({"code": code, "timeout_ms": 120_000}),
            "SCRIPT_FAILED",
        );
        assert_eq!(failure["effect"], "done", "{failure}");
    }
    mcp.ok(
        "browser_run_code",
        json!({"code": "document.title = 'x'.repeat(5e6); document.body.innerHTML = '<p>' + 'word '.repeat(2e5); location.hash = 'y'.repeat(1e6); 1", "timeout_ms": 120_000}),
    );
    for (tool, input) in [
        ("browser_tabs", json!({})),
        ("session_list", json!({})),
        ("session_open", json!({"session": "work"})),
        ("browser_snapshot", json!({"mode": "full"})),
        ("browser_find", json!({"text": "word"})),
        ("browser_extract", json!({"form": "text"})),
        ("browser_logs", json!({})),
        ("browser_navigate", json!({"history": "reload"})),
        (
            "browser_batch",
            json!({"steps": vec![json!({"tool": "browser_run_code", "input": {"code": "'x'.repeat(2e5)"}}); 10]}),
        ),
    ] {
        let result = mcp.call(tool, input);
        let size = result.to_string().len();
        assert!(size < MOST, "{tool}: {size}");
        assert_eq!(result["isError"], false, "{tool}: {result:.500}");
    }
    let thrown = mcp.call(
        "browser_run_code",
        json!({"code": "throw new Error('x'.repeat(5e6))"}),
    );
    assert!(thrown.to_string().len() < MOST);
    // None of it stays in the keeper's memory.
    let now = memory(pid);
    assert!(now < 150_000, "{now} kB");
    assert_eq!(mcp.eval("work", "6 * 7"), 42);
}
