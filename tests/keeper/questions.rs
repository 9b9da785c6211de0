//! What the browser is asked, by the trace in the keeper's log, and when: each question takes time.

use std::fs;

use serde_json::json;

use crate::harness::{Site, TestEnv};

/// Names of the methods that were sent, with the operations of clients among them.
fn sent(env: &TestEnv) -> Vec<String> {
    let log = fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    let lines = log.lines().filter_map(|line| {
        let asked = line.split_once("asked operation=").map(|(_, asked)| asked);
        let wire = line.split_once("szk_cdp::wire: ").map(|(_, sent)| sent);
        let words = asked.or(wire.filter(|sent| sent.contains(" id=")))?;
        let word = words.split_whitespace().next()?;
        Some(word.trim_matches('"').to_owned())
    });
    lines.filter(|word| word != "answer").collect()
}

fn place(sent: &[String], name: &str) -> usize {
    let place = sent.iter().position(|one| one == name);
    place.unwrap_or_else(|| panic!("`{name}` was not sent: {sent:#?}"))
}

#[test]
fn cookies_are_restored_while_the_first_page_is_made() {
    let mut env = TestEnv::new();
    env.open("work");
    env.close("work");
    fs::remove_file(env.in_profile("work", "keeper.log")).unwrap();
    env.set("SZK_LOG", "szk_cdp::wire=trace");
    env.open("work");
    let sent = sent(&env);
    // The page is brought to the front as soon as it is ready.
    let ready = place(&sent, "Page.bringToFront");
    assert!(
        place(&sent, "SystemInfo.getProcessInfo") < ready,
        "{sent:#?}"
    );
    place(&sent, "Storage.getCookies");
}

/// What an act is done to is known to the script that has found it.
#[test]
fn an_act_does_not_ask_the_browser_for_nodes() {
    let mut env = TestEnv::new();
    env.set("SZK_LOG", "szk_cdp::wire=trace,szk=debug");
    let site = Site::of("<button onclick='textContent += 1'>Go</button>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "button"}),
    );
    let sent = sent(&env);
    let act = &sent[place(&sent, "browser_act")..];
    assert!(
        act.iter().any(|one| one == "Input.dispatchMouseEvent"),
        "{act:#?}"
    );
    let nodes: Vec<&String> = act.iter().filter(|one| one.starts_with("DOM.")).collect();
    assert!(nodes.is_empty(), "{act:#?}");
}
