//! Recipe first: what was saved after a task carries it out without a model, as far as it goes.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::{Provider, call, last};
use crate::harness::{Answer, Site};

pub(super) fn form(button: &str) -> Answer {
    Answer::html(format!(
        "<!doctype html><meta charset=utf-8><title>Order</title><h1>Order</h1>\
         <form onsubmit=\"document.body.innerHTML = '<h1>Order of ' + this.who.value + '</h1>'; return false\">\
         <label>Name <input name=who></label><button>{button}</button></form>"
    ))
}

/// The ref in the line of a page that names this.
pub(super) fn ref_of(text: &str, name: &str) -> String {
    let line = text.lines().find(|line| line.contains(name));
    let line = line.unwrap_or_else(|| panic!("no {name}: {text}"));
    let mut words = line.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_ref = |word: &&str| {
        let digits = word.strip_prefix('e').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let found = words.find(is_ref);
    found.unwrap_or_else(|| panic!("no ref: {line}")).to_owned()
}

#[test]
fn a_task_with_a_recipe_asks_no_model_until_it_stops() {
    let changed = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&changed);
    let site = Site::plan()
        .on("/", move |_| match now.load(Ordering::Relaxed) {
            false => form("Send"),
            true => form("Place the order"),
        })
        .serve();
    let url = site.url("/");
    let provider = Provider::new(true, move |step, body| match step {
        0 => call("browser_navigate", &json!({"url": url})),
        1 => call(
            "browser_act",
            &json!({"kind": "fill", "name": "Name", "text": "Jane"}),
        ),
        2 => call("browser_act", &json!({"kind": "click", "name": "Send"})),
        4 => {
            let said = body["messages"].to_string();
            assert!(
                said.contains("has replayed a recipe of this task"),
                "{said}"
            );
            let reference = ref_of(last(body), "Place the order");
            call("recipe_run", &json!({"ref": reference}))
        }
        _ => call("done", &json!({"success": true, "text": "ordered"})),
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let args = ["do", "order for Jane", "-s", "work", "--json"];
    let saved = env.szk(args.into_iter().chain(["--save", "order"])).json();
    assert_eq!(
        (&saved["recipe"], &saved["steps"]),
        (&json!("order"), &json!(4)),
        "{saved}"
    );
    let file = fs::read_to_string(env.in_profile("work", "recipes/order.toml")).unwrap();
    assert!(file.contains("default = \"Jane\""), "{file}");
    let asked = provider.asked().len();

    // Nobody is there who could be asked.
    let again = env.szk(args).env("SZK_AGENT_MODEL", "").json();
    assert_eq!(again["done"], true, "{again}");
    assert_eq!(
        (&again["replayed"], &again["steps"]),
        (&json!("order"), &json!(0)),
        "{again}"
    );
    assert_eq!(provider.asked().len(), asked);
    assert_eq!(
        env.eval("work", "document.body.textContent"),
        "Order of Jane"
    );
    let named = [
        "do", "order", "-s", "work", "--recipe", "order", "--param", "who=Ann",
    ];
    env.szk(named).env("SZK_AGENT_MODEL", "").ok();
    assert_eq!(
        env.eval("work", "document.body.textContent"),
        "Order of Ann"
    );
    let nothing = env
        .szk(["do", "another", "-s", "work"])
        .env("SZK_AGENT_MODEL", "");
    nothing.fails("INVALID_INPUT");
    env.szk(["do", "x", "-s", "work", "--recipe", "none"])
        .fails("NOT_FOUND");

    changed.store(true, Ordering::Relaxed);
    let healed = env.szk(args).json();
    assert_eq!(healed["done"], true, "{healed}");
    assert_eq!(
        (&healed["replayed"], &healed["steps"]),
        (&json!("order"), &json!(2)),
        "{healed}"
    );
    assert_eq!(
        env.eval("work", "document.body.textContent"),
        "Order of Jane"
    );
    let again = env.szk(args).json();
    assert_eq!(
        (&again["done"], &again["steps"]),
        (&json!(true), &json!(0)),
        "{again}"
    );
}
