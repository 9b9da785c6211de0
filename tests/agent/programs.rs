//! `agent_run` with a recipe and its values, over MCP and HTTP: the model is asked only where the recipe stops.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::recipes::{form, ref_of};
use super::{Provider, call, last};
use crate::harness::mcp::success;
use crate::harness::{Mcp, PATIENTLY, Site, TestEnv};
use crate::serve::{Server, token};

/// A recipe that orders for somebody.
fn order(env: &TestEnv, site: &Site) {
    let origin = site.origin();
    let text = format!(
        "[recipe]\nname = \"order\"\nsite = \"{origin}\"\n\n[params.who]\n\n\
         [[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\n\
         [[step]]\ndo = \"fill\"\nvalue = \"{{{{who}}}}\"\non = {{ role = \"textbox\", name = \"Name\" }}\n\n\
         [[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Send\" }}\n\
         expect = {{ appears = {{ role = \"heading\", name = \"Order of {{{{who}}}}\" }} }}\n"
    );
    let folder = env.in_profile("work", "recipes");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("order.toml"), text).unwrap();
}

#[test]
fn a_recipe_with_its_values_is_replayed_over_mcp_and_http() {
    let changed = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&changed);
    let site = Site::plan()
        .on("/", move |_| match now.load(Ordering::Relaxed) {
            false => form("Send"),
            true => form("Place the order"),
        })
        .serve();
    let provider = Provider::new(true, |_, body| {
        let told = last(body);
        match told.contains("The page now") {
            true => call(
                "recipe_run",
                &json!({"ref": ref_of(told, "Place the order")}),
            ),
            false => call("done", &json!({"success": true, "text": "ordered"})),
        }
    });
    let env = provider.env();
    env.open("work");
    order(&env, &site);
    let task = |who: &str| json!({"session": "work", "task": "order", "recipe": "order", "params": {"who": who}});
    let page = || env.eval("work", "document.body.textContent");

    let mut mcp = Mcp::open(env.szk(["mcp"]), "2025-11-25");
    let params =
        json!({"name": "agent_run", "arguments": task("Ann"), "_meta": {"progressToken": "p"}});
    let id = mcp.request("tools/call", params);
    let is_progress = |message: &Value| message["params"]["progressToken"] == "p";
    let report = loop {
        let report = mcp.next("progress", PATIENTLY, is_progress);
        let said = report["params"]["message"].as_str().unwrap().to_owned();
        if said.contains("recipe order") {
            break said;
        }
    };
    assert_eq!(report, "recipe order: 3 steps, without the model");
    let done = success(&mcp.answer(id)["result"]);
    assert_eq!(
        (&done["done"], &done["replayed"], &done["steps"]),
        (&json!(true), &json!("order"), &json!(0)),
        "{done}"
    );
    assert_eq!(page(), "Order of Ann");
    assert_eq!(provider.asked().len(), 0);
    let without = json!({"session": "work", "task": "order", "recipe": "order"});
    mcp.fails("agent_run", without, "INVALID_INPUT");
    let alone = json!({"session": "work", "task": "order", "params": {"who": "x"}});
    mcp.fails("agent_run", alone, "INVALID_INPUT");

    let server = Server::start(&env);
    let able = token(&env, "able", &["--scope", "read,write,agent"]);
    let bearer = format!("Bearer {able}");
    let headers = [
        ("Authorization", &*bearer),
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    let path = "/v1/sessions/work/tasks";
    let ask = |who: &str| {
        let mut body = task(who);
        body.as_object_mut().unwrap().remove("session");
        let told = server.ask("POST", path, &headers, &body.to_string()).text();
        let result = told.lines().rfind(|line| line.starts_with("data: "));
        let result: Value = serde_json::from_str(&result.unwrap()[6..]).unwrap();
        (told, result)
    };
    let (told, done) = ask("Bea");
    assert!(told.contains("recipe order: 3 steps"), "{told}");
    assert_eq!(
        (&done["done"], &done["replayed"], &done["steps"]),
        (&json!(true), &json!("order"), &json!(0)),
        "{told}"
    );
    // In the token's own tab.
    let there = server.ask(
        "GET",
        "/v1/sessions/work/snapshot?mode=full",
        &headers[..1],
        "",
    );
    assert!(there.text().contains("Order of Bea"), "{}", there.text());
    assert_eq!(provider.asked().len(), 0);

    // It stops at the button that is called otherwise now: the model names it, and the rest is replayed.
    changed.store(true, Ordering::Relaxed);
    let (told, done) = ask("Cleo");
    assert!(told.contains("stopped, the model goes on"), "{told}");
    assert_eq!(
        (&done["done"], &done["replayed"], &done["steps"]),
        (&json!(true), &json!("order"), &json!(2)),
        "{told}"
    );
    let there = server.ask(
        "GET",
        "/v1/sessions/work/snapshot?mode=full",
        &headers[..1],
        "",
    );
    assert!(there.text().contains("Order of Cleo"), "{}", there.text());
    let asked = provider.asked().len();
    // That has healed it, for MCP as well.
    let done = mcp.ok("agent_run", task("Dora"));
    assert_eq!(
        (&done["done"], &done["steps"]),
        (&json!(true), &json!(0)),
        "{done}"
    );
    assert_eq!(page(), "Order of Dora");
    assert_eq!(provider.asked().len(), asked);
    mcp.leave();
}
