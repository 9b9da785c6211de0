//! Pages that change under a recipe: changes of layout replay, changes of meaning stop, and nothing
//! else is ever acted on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::harness::{Answer, Lease, Mcp, Site};

/// A page, and what is done to the element that is marked in it.
const FLOWS: [(&str, &str); 8] = [
    (
        "click",
        "<h2>Orders</h2><button id=search class=btn data-truth>Search orders</button><button id=clear class=btn>Clear</button>",
    ),
    (
        "click",
        "<nav><a href='#home'>Home</a> <a id=prices href='#prices' data-truth>Prices</a> <a href='#help'>Help</a></nav>",
    ),
    (
        "fill",
        "<form><label data-unit>First name <input name=first data-truth></label><label>Last name <input name=last></label></form>",
    ),
    (
        "click",
        "<table><tr><td>1001 Ada<td><button>Open</button><tr><td>1002 Bob<td><button data-truth>Open</button><tr><td>1003 Eve<td><button>Open</button></table>",
    ),
    (
        "check",
        "<form><label data-unit><input type=checkbox name=terms data-truth> Accept the terms</label><label><input type=checkbox name=news> Send me news</label></form>",
    ),
    (
        "select",
        "<form><label data-unit>Country <select name=country data-truth><option>France<option>Poland</select></label><label>Currency <select name=currency><option>Euro<option>Poland</select></label></form>",
    ),
    (
        "click",
        "<form role=search onsubmit='return false'><input aria-label=Words><button data-truth>Go</button></form><form aria-label=Newsletter onsubmit='return false'><input aria-label=Mail><button>Go</button></form>",
    ),
    (
        "click",
        "<ul><li>Green apple <button>Add</button><li>Yellow pear <button data-truth>Add</button><li>Blue plum <button>Add</button></ul>",
    ),
];

/// What a page does to itself, and whether a recipe still means the same element afterwards.
const MUTATORS: [(&str, &str, bool); 8] = [
    (
        "ids and classes renamed",
        "for (const el of all) { if (el.id) el.id = 'n' + el.id.length; if (el.className) el.className = 'x7'; }",
        true,
    ),
    (
        "wrapped",
        "const wrap = document.createElement('div'); unit.before(wrap); wrap.append(document.createElement('span'), unit);",
        true,
    ),
    (
        "order changed",
        "for (const el of document.querySelectorAll('main,form,nav,tbody,ul')) if (el.localName !== 'form' || el.querySelector('label')) el.append(...[...el.children].reverse());",
        true,
    ),
    (
        "advertisement inserted",
        "document.body.insertAdjacentHTML('afterbegin', '<div class=ad><a href=\"#ad\">Buy now</a><button>Close</button></div>');",
        true,
    ),
    (
        "attributes in another language",
        "for (const el of all) { el.title = 'Titel'; if (el.placeholder !== undefined) el.placeholder = 'Eingabe'; }",
        true,
    ),
    (
        "written in another way",
        "for (const node of texts) node.data = node.data.toUpperCase().replace(/ +/g, '  ');",
        true,
    ),
    (
        "duplicated",
        "const twin = unit.cloneNode(true); for (const el of [twin, ...twin.querySelectorAll('*')]) el.removeAttribute('data-truth'); unit.after(twin);",
        false,
    ),
    (
        "replaced by another control",
        "unit.innerHTML.includes('<') ? [...unit.childNodes].filter((node) => node.nodeType === 3).forEach((node) => { node.data = ' Remove everything '; }) : unit.textContent = 'Remove everything'; truth.removeAttribute('data-truth');",
        false,
    ),
];

/// The page of a flow, changed by a mutator.
fn page(flow: usize, mutator: Option<usize>) -> String {
    let body = FLOWS[flow].1;
    let mutation = mutator.map_or("", |mutator| MUTATORS[mutator].1);
    format!(
        "<html lang=en><body><main>{body}</main><script>
        const all = [...document.querySelectorAll('main *')];
        const truth = document.querySelector('[data-truth]');
        const unit = truth.closest('[data-unit]') || truth;
        const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT), texts = [];
        while (walk.nextNode()) texts.push(walk.currentNode);
        document.title = 'untouched';
        for (const kind of ['click', 'input']) addEventListener(kind, (event) => {{
          if (!event.target.closest('main,.ad') || event.target.closest('label') && !event.target.matches('input,select')) return;
          document.title = event.target.closest('[data-truth]') ? 'right' : 'wrong';
        }}, true);
        {mutation}</script>"
    )
}

fn title(mcp: &mut Mcp) -> String {
    let title = mcp.ok("browser_run_code", json!({"code": "document.title"}));
    title["value"].as_str().unwrap().to_owned()
}

#[test]
fn layouts_replay_and_meanings_stop() {
    let env = Lease::take();
    let shown = Arc::new(AtomicUsize::new(0));
    let served = Arc::clone(&shown);
    let site = Site::plan()
        .on("/", move |_| {
            let state = served.load(Ordering::SeqCst);
            let mutator = (state % 100).checked_sub(1);
            Answer::html(page(state / 100, mutator))
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let mut odd = Vec::new();
    for (flow, (kind, _)) in FLOWS.iter().enumerate() {
        shown.store(flow * 100, Ordering::SeqCst);
        mcp.ok("browser_navigate", json!({"url": site.url("/")}));
        let mut act = json!({"kind": kind, "selector": "[data-truth]"});
        match *kind {
            "fill" => act["text"] = json!("Ada"),
            "select" => act["values"] = json!(["Poland"]),
            _ => {}
        }
        mcp.ok("browser_act", act);
        assert_eq!(title(&mut mcp), "right", "flow {flow}");
        let name = format!("flow-{flow}");
        mcp.ok("recipe_save", json!({"name": name}));
        let listed = mcp.ok("recipe_list", json!({}));
        assert_eq!(listed["recipes"][0]["name"], name, "{listed}");
        let saved = mcp.ok("recipe_show", json!({"name": name}))["text"].clone();
        let params = if *kind == "fill" {
            json!({"first": "Eve"})
        } else {
            json!({})
        };
        for (mutator, (what, _, replays)) in MUTATORS.iter().enumerate() {
            shown.store(flow * 100 + mutator + 1, Ordering::SeqCst);
            let result = mcp.call("recipe_run", json!({"name": name, "params": params}));
            let ended = title(&mut mcp);
            let expected = if *replays { "right" } else { "untouched" };
            if ended != expected {
                odd.push(format!(
                    "flow {flow}, {what}: {ended}, not {expected}: {result}"
                ));
            }
            // Each mutation meets the recipe as it was recorded.
            mcp.ok("recipe_save", json!({"name": name, "text": saved}));
        }
        mcp.ok("recipe_delete", json!({"name": name}));
    }
    let wrong = odd.iter().filter(|one| one.contains(": wrong,")).count();
    assert!(
        odd.is_empty(),
        "{wrong} acted on another element\n{}",
        odd.join("\n")
    );
}
