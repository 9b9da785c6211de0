//! A drag, with both of its ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::harness::{Answer, Lease, Site};

/// Cards to drag into columns; the title tells which went where. A column has no role, only an id.
fn board(state: usize) -> String {
    let ready = match state {
        // Gone, and in its place another one.
        2 => "<div class=column id=bin><h2>Bin</h2></div>",
        _ => "<div class=column id=ready><h2>Ready</h2></div>",
    };
    let cards = "<li draggable=true>Write<li draggable=true>Print";
    let cards = match state {
        0 => format!("<ul>{cards}</ul>"),
        _ => format!("<p>News</p><div><ul><li draggable=true>Bind{cards}</ul></div>"),
    };
    format!(
        "<html lang=en><title>untouched</title><style>.column {{ width: 200px; height: 90px; border: 1px solid }}</style>
        <h1>Board</h1>{cards}<div class=column id=later><h2>Later</h2></div>{ready}<script>
        let card;
        ondragstart = (event) => {{ card = event.target; event.dataTransfer.setData('text/plain', card.textContent); }};
        ondragover = (event) => event.preventDefault();
        ondrop = (event) => {{ event.preventDefault(); document.title = card.textContent + ' ' + event.target.closest('.column').id; }};
        </script>"
    )
}

#[test]
fn both_ends_of_a_drag_are_recorded_and_found_again() {
    let env = Lease::take();
    let state = Arc::new(AtomicUsize::new(0));
    let served = Arc::clone(&state);
    let site = Site::plan()
        .on("/", move |_| {
            Answer::html(board(served.load(Ordering::SeqCst)))
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok(
        "browser_act",
        json!({"kind": "drag", "selector": "li:nth-child(2)", "to": "#ready"}),
    );
    let title = |mcp: &mut crate::harness::Mcp| {
        mcp.ok("browser_run_code", json!({"code": "document.title"}))["value"].clone()
    };
    assert_eq!(title(&mut mcp), "Print ready");
    let saved = mcp.ok("recipe_save", json!({"name": "move"}));
    let text = saved["text"].as_str().unwrap();
    assert!(
        text.contains("do = \"drag\"") && text.contains("to = {"),
        "{text}"
    );

    for (number, expected) in [(0, "Print ready"), (1, "Print ready"), (2, "untouched")] {
        state.store(number, Ordering::SeqCst);
        let ran = mcp.call("recipe_run", json!({"name": "move"}));
        assert_eq!(title(&mut mcp), expected, "{number}: {ran}");
        assert_eq!(ran["isError"] == true, number == 2, "{ran}");
    }
    let script = mcp.ok("recipe_export", json!({"name": "move"}));
    assert!(
        script["text"].as_str().unwrap().contains(".dragTo(page."),
        "{script}"
    );
    mcp.ok("recipe_delete", json!({"name": "move"}));
}
