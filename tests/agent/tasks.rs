//! Tasks that are carried out, and those that are not.

use std::fs;

use serde_json::json;

use super::{Provider, call, read};
use crate::harness::Site;

const FORM: &str = "<!doctype html><meta charset=utf-8><title>Order</title><h1>Order</h1>\
  <form onsubmit=\"document.body.innerHTML = '<h1>Order 4711 of ' + this.name.value + '</h1>'; return false\">\
  <label>Name <input name=name></label><button>Send</button></form>";

#[test]
fn a_form_is_filled_and_the_result_fits_its_schema() {
    let site = Site::of(FORM);
    let provider = Provider::new(true, |step, body| match step {
        0 => call(
            "browser_act",
            &json!({"kind": "fill", "name": "Name", "text": "Jane"}),
        ),
        1 => call("browser_screenshot", &json!({})),
        // As text, and broken, as small models write it.
        2 => {
            let shown = &body["messages"].as_array().unwrap().last().unwrap()["content"][1];
            let picture = shown["image_url"]["url"].as_str().unwrap();
            assert!(
                picture.starts_with("data:image/jpeg;base64,/9j/"),
                "{picture:.60}"
            );
            json!({"content": "```json\n{'name': 'browser_act', 'arguments': {kind: 'click', name: 'Send',}}\n```"})
        }
        3 => call(
            "done",
            &json!({"success": true, "text": "sent", "result": {"order": "x"}}),
        ),
        _ => {
            let read = read(body);
            assert!(read.contains("Order 4711 of Jane"), "{read}");
            assert!(read.contains("does not fit the schema"), "{read}");
            call(
                "done",
                &json!({"success": true, "text": "sent", "result": {"order": 4711}}),
            )
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let schema = json!({
        "type": "object",
        "properties": {"order": {"type": "integer"}},
        "required": ["order"],
    });
    fs::write(env.work().join("order.json"), schema.to_string()).unwrap();
    let args = [
        "do",
        "order for Jane",
        "-s",
        "work",
        "--schema",
        "order.json",
    ];
    let ended = env.szk(args).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let result: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(result, json!({"order": 4711}));
    assert!(ended.stderr.contains("1. browser_act"), "{ended:#?}");
    assert!(ended.stderr.contains("the judge agrees"), "{ended:#?}");
    assert!(!ended.stderr.contains("key-of-test"), "{ended:#?}");
    let asked = provider.asked();
    assert_eq!(asked.len(), 6, "five steps and a judge");
    let rules = asked[0]["messages"][0]["content"].as_str().unwrap();
    assert!(rules.contains(&site.origin()), "{rules}");

    let runs = env.szk(["runs", "list", "-s", "work", "--json"]).json();
    assert_eq!(runs["runs"][0]["done"], true, "{runs}");
    // Without a name it is the only open session, as for `szk do`.
    assert_eq!(env.szk(["runs", "list", "--json"]).json(), runs);
    let run = runs["runs"][0]["run"].as_str().unwrap();
    let shown = env.szk(["runs", "show", run, "-s", "work"]).ok();
    assert!(shown.stdout.contains("browser_act"), "{shown:#?}");
    let folder = env.in_profile("work", "artifacts/runs").join(run);
    // The same again, without the provider: the run answers.
    env.navigate("work", &site.url("/"));
    let played = format!("played:{}", folder.display());
    let ended = env.szk(args).env("SZK_AGENT_MODEL", &played).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let result: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(result, json!({"order": 4711}));
    assert_eq!(provider.asked().len(), asked.len());
    for file in ["events.jsonl", "outcome.json", "index.html"] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(!text.contains("key-of-test"), "{file}");
    }
}

#[test]
fn what_was_not_done_is_said_to_be_not_done() {
    let site = Site::of(FORM);
    let doubted = Provider::new(false, |_, _| {
        call("done", &json!({"success": true, "text": "sent"}))
    });
    let env = doubted.env();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let ended = env.szk(["do", "order", "-s", "work", "--json"]).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let said: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&said["done"], &said["judged"]),
        (&json!(false), &json!(false))
    );

    let circling = Provider::new(true, |_, _| {
        call(
            "browser_act",
            &json!({"kind": "click", "name": "Nothing of that name"}),
        )
    });
    let url = circling.site.url("/v1");
    let command = env.szk(["do", "order", "-s", "work", "--json"]);
    let ended = command.env("SZK_AGENT_BASE_URL", &url).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(ended.stdout.contains("in circles"), "{ended:#?}");
    let told = |body: &serde_json::Value| read(body).contains("Make another plan");
    assert!(circling.asked().iter().any(told));

    let command = env.szk(["do", "order", "-s", "work", "--max-steps", "2", "--json"]);
    let ended = command.env("SZK_AGENT_BASE_URL", &url).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    assert!(ended.stdout.contains("all of its 2 steps"), "{ended:#?}");
}

#[test]
fn a_project_decides_nothing_about_keys() {
    let provider = Provider::new(true, |_, _| unreachable!());
    let env = provider.env();
    for (line, key) in [
        ("base_url = \"https://evil.example/v1\"", "agent.base_url"),
        ("key = \"sk-secret\"", "agent.key"),
        ("model = \"gemini:x\"", "agent.model"),
    ] {
        env.config(&format!("[agent]\n{line}\n"));
        let failure = env.szk(["do", "x", "-s", "work"]).fails("INVALID_CONFIG");
        let text = failure.to_string();
        assert!(
            text.contains(&format!("a project may not set `{key}`")),
            "{text}"
        );
        assert!(!text.contains("sk-secret"), "{text}");
    }
}
