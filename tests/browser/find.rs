//! `browser_find`.

use serde_json::json;

use crate::harness::{Lease, Site};

#[test]
fn text_and_expressions_with_their_place_and_ref() {
    let env = Lease::take();
    let site = Site::of(
        "<main><ul aria-label=Fruit><li>Green apple <button>Buy</button><li hidden>Hidden apple</ul></main><iframe title=Pay srcdoc='<label>Apple pay <input></label>'></iframe>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let output = mcp.ok("browser_find", json!({"text": "APPLE"}));
    assert_eq!(
        output["matches"],
        json!([
            {"line": "text: Green apple", "ref": "e1", "path": ["main", "list \"Fruit\"", "listitem"]},
            {"line": "textbox \"Apple pay\" [e2]", "ref": "e2", "path": ["iframe \"Pay\""]},
        ])
    );
    let buttons = mcp.ok(
        "browser_find",
        json!({"regex": "^Bu.$", "scope": "main", "limit": 1}),
    );
    assert_eq!(buttons["matches"][0]["line"], "button \"Buy\" [e3]");
    assert_eq!(mcp.ok("browser_find", json!({"text": "pear"}))["total"], 0);
    // A result can be the starting point of the next snapshot.
    let around = mcp.ok("browser_snapshot", json!({"scope": "e1", "mode": "full"}));
    assert_eq!(
        around["snapshot"],
        "- listitem\n  - text: Green apple\n  - button \"Buy\" [e3]"
    );
    // Loose text next to other things gets the ref of the element around it.
    mcp.ok("browser_run_code", json!({"code": "document.querySelector('main').append('Loose ', document.createElement('strong')); document.querySelector('strong').textContent = 'words'"}));
    let loose = mcp.ok("browser_find", json!({"text": "loose words"}));
    let reference = loose["matches"][0]["ref"].as_str().unwrap();
    mcp.ok(
        "browser_snapshot",
        json!({"scope": reference, "mode": "full"}),
    );
    // What a snapshot cuts is said there, and found all the same.
    mcp.ok("browser_run_code", json!({"code": "document.querySelector('main').append('word '.repeat(2000) + 'needle'); const area = document.createElement('textarea'); area.value = 'x'.repeat(3000) + ' thread'; document.body.append(area)"}));
    let full = mcp.ok("browser_snapshot", json!({"mode": "full"}));
    let full = full["snapshot"].as_str().unwrap();
    assert!(full.contains(" characters left out)"), "{full}");
    assert!(!full.contains("needle"), "{full}");
    for text in ["needle", "thread"] {
        let found = mcp.ok("browser_find", json!({"text": text}));
        let line = found["matches"][0]["line"].as_str().unwrap();
        assert!(line.contains(text) && line.len() < 400, "{line}");
    }
    mcp.fails("browser_find", json!({"regex": ""}), "INVALID_INPUT");
    mcp.fails("browser_find", json!({"regex": "("}), "INVALID_INPUT");
    mcp.fails(
        "browser_find",
        json!({"text": "a", "regex": "a"}),
        "INVALID_INPUT",
    );
    mcp.fails("browser_find", json!({}), "INVALID_INPUT");
    let told = env.szk(["find", "green", "-s", "work"]).ok();
    assert!(
        told.stdout.contains("in main > list \"Fruit\" > listitem"),
        "{}",
        told.stdout
    );
}
