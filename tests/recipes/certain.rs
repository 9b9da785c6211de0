//! What an element is, is asked again just before the press.

use serde_json::json;

use crate::harness::{Lease, Mcp, Site};

/// A card and two columns without a role. When the pointer comes to the card, the first column becomes another one.
const BOARD: &str = "<html lang=en><title>untouched</title><style>.column { width: 200px; height: 90px; border: 1px solid }</style>
    <h1>Board</h1><ul><li draggable=true>Print</ul><div class=column id=ready><p>Ready</p></div><script>
    let card;
    document.querySelector('li').onpointermove = () => { if (location.search) document.querySelector('.column p').textContent = 'Bin'; };
    ondragstart = (event) => { card = event.target; event.dataTransfer.setData('text/plain', card.textContent); };
    ondragover = (event) => event.preventDefault();
    ondrop = (event) => { event.preventDefault(); document.title = card.textContent + ' ' + event.target.closest('.column').innerText; };
    </script>";

/// A button that says something else as soon as the pointer is over it.
const BUTTON: &str =
    "<html lang=en><title>untouched</title><h1>Orders</h1><button id=go>Archive</button><script>
    const go = document.querySelector('#go');
    go.onpointermove = () => { if (location.search) go.textContent = 'Delete'; };
    go.onclick = () => { document.title = go.textContent; };
    </script>";

fn title(mcp: &mut Mcp) -> String {
    let title = mcp.ok("browser_run_code", json!({"code": "document.title"}));
    title["value"].as_str().unwrap().to_owned()
}

#[test]
fn what_becomes_another_under_the_pointer_is_neither_pressed_nor_dropped_on() {
    let env = Lease::take();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let drag = json!({"kind": "drag", "selector": "li", "to": "#ready"});
    let click = json!({"kind": "click", "selector": "#go"});
    for (page, act, done) in [(BOARD, drag, "Print Ready"), (BUTTON, click, "Archive")] {
        let site = Site::of(page);
        mcp.ok("browser_navigate", json!({"url": site.url("/")}));
        mcp.ok("browser_act", act);
        assert_eq!(title(&mut mcp), done);
        let saved = mcp.ok("recipe_save", json!({"name": "certain"}));
        mcp.ok("recipe_run", json!({"name": "certain"}));
        assert_eq!(title(&mut mcp), done);
        // The same page, which now changes what is meant.
        let text = saved["text"].as_str().unwrap();
        let text = text.replace("value = \"/\"", "value = \"/?changes\"");
        mcp.ok("recipe_save", json!({"name": "certain", "text": text}));
        mcp.fails("recipe_run", json!({"name": "certain"}), "RECIPE_STALE");
        assert_eq!(title(&mut mcp), "untouched");
        mcp.ok("recipe_delete", json!({"name": "certain"}));
    }
}
