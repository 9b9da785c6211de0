//! `[policy] approve` during a task: what the person has agreed to beforehand happens, nothing else does.

use serde_json::{Value, json};

use super::{Provider, call, last};
use crate::harness::{Mcp, Site};
use crate::serve::{Server, token};

fn shop() -> Site {
    Site::plan()
        .page(
            "/",
            "<title>Order</title><form action=/sent><button>Send</button></form>",
        )
        .page("/sent", "<title>Sent</title>")
        .serve()
}

/// A provider whose tasks send the form, and say whether they could.
fn sends() -> Provider {
    Provider::new(true, |_, body| {
        let told = last(body);
        match told.contains("The page now") {
            true => call("browser_act", &json!({"kind": "click", "name": "Send"})),
            false => {
                let sent = !told.contains("NEEDS_APPROVAL");
                // What clients of MCP could do is of no use here.
                assert!(!told.contains("from an MCP client"), "{told}");
                call(
                    "done",
                    &json!({"success": sent, "text": if sent { "sent" } else { "refused" }}),
                )
            }
        }
    })
}

#[test]
fn each_front_says_what_its_person_can_do() {
    let site = shop();
    let provider = sends();
    let env = provider.env();
    env.config("[policy]\napprove = [\"submit\"]\n");
    env.open("work");
    env.navigate("work", &site.url("/"));
    let held = |said: &Value| said["unapproved"][0].as_str().unwrap().to_owned();
    let ended = env.szk(["do", "order", "-s", "work", "--json"]).run();
    let said = held(&serde_json::from_str(&ended.stdout).unwrap());
    assert!(said.contains("again with `--approve submit`"), "{said}");
    assert!(said.contains("`[policy] approve`: submit"), "{said}");
    let told = provider.asked();
    let told = last(told.last().unwrap());
    assert!(told.contains("`--approve submit`"), "{told}");

    let mut mcp = Mcp::open(env.szk(["mcp"]), "2025-11-25");
    let task = json!({"session": "work", "task": "order"});
    let said = held(&mcp.call("agent_run", task)["structuredContent"]);
    assert!(said.contains("`session_handoff`"), "{said}");
    mcp.leave();

    let server = Server::start(&env);
    let able = token(&env, "able", &["--scope", "read,write,agent"]);
    let url = json!({"url": site.url("/")});
    server
        .call(&able, "POST", "/v1/sessions/work/navigate", &url)
        .ok();
    let path = "/v1/sessions/work/tasks";
    let reply = server.call(&able, "POST", path, &json!({"task": "order"}));
    let said = held(&reply.ok());
    assert!(said.contains("/handoff`"), "{said}");
    let sent = site.asked();
    assert!(sent.iter().all(|one| !one.path.starts_with("/sent")));
}

#[test]
fn only_what_was_agreed_to_is_submitted() {
    let site = shop();
    let provider = sends();
    let env = provider.env();
    env.config("[policy]\napprove = [\"submit\", \"code\"]\n");
    env.open("work");
    for (approve, code, sent) in [("", 1, 0), ("code,login", 1, 0), ("code,submit", 0, 1)] {
        env.navigate("work", &site.url("/"));
        let mut args = vec!["do", "order", "-s", "work"];
        if !approve.is_empty() {
            args.extend(["--approve", approve]);
        }
        let ended = env.szk(args).run();
        assert_eq!(ended.code, Some(code), "{approve}: {ended:#?}");
        let asked = site.asked();
        let found = asked
            .iter()
            .filter(|one| one.path.starts_with("/sent"))
            .count();
        assert_eq!(found, sent, "{approve}");
    }
    let ended = env
        .szk(["do", "order", "-s", "work", "--approve", "upload"])
        .run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
}
