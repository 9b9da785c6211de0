//! What a person sets a task: money, secrets, and when it stops.

use std::sync::Mutex;
use std::sync::mpsc;

use serde_json::{Value, json};

use super::{Provider, call, read};
use crate::harness::{Answer, PATIENTLY, Signal, Site};

const LOGIN: &str = "<!doctype html><title>Login</title><form method=post action=/in>\
  <label>Name <input name=user autocomplete=username></label>\
  <label>Password <input name=pass type=password></label><button>Sign in</button></form>";

#[test]
fn a_task_keeps_to_its_money_its_secrets_and_ctrl_c() {
    let site = Site::plan()
        .page("/", LOGIN)
        .on("/in", |asked| match &*asked.field("pass") {
            "hunter-22" => {
                Answer::html("<title>In</title><h1>Welcome</h1><a href=/out>Sign out</a>")
            }
            _ => Answer::html(LOGIN).with_status(401),
        })
        .serve();
    let (asks, asked) = mpsc::channel();
    let asks = Mutex::new(asks);
    let (goes, go) = mpsc::channel::<()>();
    let go = Mutex::new(go);
    let provider = Provider::new(true, move |_, body| {
        let task = body["messages"][1]["content"].as_str().unwrap();
        if read(body).contains("The browser was started again meanwhile") {
            return call("done", &json!({"success": true, "text": "waited"}));
        }
        if task.contains("wait") {
            asks.lock().unwrap().send(()).unwrap();
            // Until the test is over: the agent has gone by then.
            let _: Result<(), _> = go.lock().unwrap().recv();
        }
        if task.contains("look") {
            return call("browser_snapshot", &json!({}));
        }
        let told = |one: &Value| one["role"] == "tool";
        match body["messages"].as_array().unwrap().iter().any(told) {
            false => call(
                "workflow_login",
                &json!({"username": "jane", "secret": "shop"}),
            ),
            true => call("done", &json!({"success": true, "text": "signed in"})),
        }
    });
    let env = provider.env();
    env.config("[agent]\nprice_in = 1000\nprice_out = 10000\n");
    let given = env.szk(["secret", "set", "shop"]).input("hunter-22");
    given.ok();
    env.open("work");
    env.navigate("work", &site.url("/"));

    // Each answer costs 20 cents.
    let args = [
        "do",
        "look around",
        "-s",
        "work",
        "--json",
        "--budget",
        "0.5",
    ];
    let ended = env.szk(args).run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["steps"], 3, "{said}");
    assert!(
        said["text"].to_string().contains("0.6000 of its 0.5"),
        "{said}"
    );
    assert!(
        (said["cost"].as_f64().unwrap() - 0.6).abs() < 1e-9,
        "{said}"
    );

    // A secret that was not named is refused.
    let args = ["do", "sign in", "-s", "work", "--json", "--max-steps", "2"];
    env.szk(args).run();
    assert_eq!(
        site.asked()
            .iter()
            .filter(|one| one.method == "POST")
            .count(),
        0
    );
    let ended = env.szk(args.into_iter().chain(["--secret", "shop"])).run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let posts: Vec<_> = site
        .asked()
        .into_iter()
        .filter(|one| one.method == "POST")
        .collect();
    assert_eq!(posts.len(), 1);
    assert_eq!(
        (posts[0].field("user"), posts[0].field("pass")),
        ("jane".into(), "hunter-22".into())
    );
    let bodies = format!("{:?}", provider.asked());
    assert!(bodies.contains("workflow_login") && !bodies.contains("hunter-22"));
    let run = serde_json::from_str::<Value>(&ended.stdout).unwrap()["run"].clone();
    let folder = env
        .in_profile("work", "artifacts/runs")
        .join(run.as_str().unwrap());
    for file in ["events.jsonl", "outcome.json", "index.html"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(!text.contains("hunter-22"), "{file}");
    }

    let waiting = env.szk(["do", "wait here", "-s", "work"]).start();
    asked.recv_timeout(PATIENTLY).unwrap();
    waiting.signal(Signal::INT);
    let ended = waiting.end();
    assert_eq!(ended.code, Some(130), "{ended:#?}");
    assert!(ended.stderr.contains("szk runs resume"), "{ended:#?}");
    assert_eq!(
        env.eval("work", "document.title"),
        "In",
        "the page is as it was left"
    );
    let runs = env.szk(["runs", "list", "-s", "work", "--json"]).json();
    assert_eq!(runs["runs"][0]["done"], Value::Null, "{runs}");
    // It goes on in another browser, and the model hears of it.
    env.szk(["close", "work"]).ok();
    let run = runs["runs"][0]["run"].as_str().unwrap();
    let resumed = env.szk(["runs", "resume", run, "-s", "work"]).ok();
    assert!(resumed.stdout.contains("waited"), "{resumed:#?}");
    drop(goes);
}
