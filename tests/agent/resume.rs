//! Runs that are cut short, and go on: the agent, its browser and its keeper are killed.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};

use serde_json::{Value, json};

use super::{Provider, call, last, read};
use crate::harness::{PATIENTLY, Signal, Site, TestEnv, wait_for};

/// How many outcomes of tools the model has heard of.
fn heard(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().filter(|one| one["role"] == "tool").count()
}

/// The folder of the only run, once it has so many events of a kind.
#[track_caller]
fn run_with(env: &TestEnv, kind: &str, count: usize) -> (String, PathBuf) {
    wait_for(&format!("{count} events `{kind}`"), PATIENTLY, || {
        let folder = fs::read_dir(env.in_profile("work", "artifacts/runs")).ok()?;
        let folder = folder.last()?.ok()?;
        let events = fs::read_to_string(folder.path().join("events.jsonl")).ok()?;
        let named = format!("{{\"event\":\"{kind}\"");
        let found = events.lines().filter(|line| line.starts_with(&named));
        let name = folder.file_name().into_string().ok()?;
        (found.count() == count).then(|| (name, folder.path()))
    })
}

#[test]
fn a_run_goes_on_after_the_death_of_agent_keeper_and_browser() {
    let site = Site::of(
        "<title>Work</title><button onclick=\"localStorage.n = Number(localStorage.n ?? 0) + 1; this.textContent = 'Pressed ' + localStorage.n\">Press</button>",
    );
    let (asks, asked) = mpsc::channel();
    let (goes, go) = mpsc::channel();
    let (asks, go) = (Mutex::new(asks), Mutex::new(go));
    // Has something killed, and goes on when it is dead.
    let kill = move |what: &'static str| {
        asks.lock().unwrap().send(what).unwrap();
        go.lock().unwrap().recv_timeout(PATIENTLY).unwrap();
    };
    let killed = AtomicBool::new(false);
    let url = site.url("/");
    let load = move || call("browser_navigate", &json!({"url": url}));
    let provider = Provider::new(true, move |_, body| {
        let said = read(body);
        match heard(body) {
            0 => call("browser_act", &json!({"kind": "click", "role": "button"})),
            // Nobody ever sees the end of this one.
            1 => call(
                "browser_act",
                &json!({"kind": "wait", "text": "Never there"}),
            ),
            2 => {
                assert!(said.contains("It may have been done or not"), "{said}");
                assert!(said.contains("szk was interrupted"), "{said}");
                assert!(said.contains("Pressed 1"), "{said}");
                kill("keeper");
                load()
            }
            // The next browser may still be starting.
            _ if !last(body).contains("button") => load(),
            _ if !killed.swap(true, Ordering::Relaxed) => {
                kill("browser");
                load()
            }
            _ => call("done", &json!({"success": true, "text": "pressed"})),
        }
    });
    let env = provider.env();
    env.open("work");
    env.navigate("work", &site.url("/"));

    let first = env.szk(["do", "press it", "-s", "work"]).start();
    let (run, folder) = run_with(&env, "answer", 2);
    let again = || env.szk(["runs", "resume", &run, "-s", "work"]);
    again().fails("SESSION_BUSY");
    first.signal(Signal::KILL);
    first.end();
    let runs = env.szk(["runs", "list", "-s", "work", "--json"]).json();
    assert_eq!(runs["runs"][0]["done"], Value::Null, "{runs}");
    let events = folder.join("events.jsonl");
    let mut cut = OpenOptions::new().append(true).open(&events).unwrap();
    cut.write_all(b"{\"event\":\"acted\",\"step\":2,\"too")
        .unwrap();

    let resumed = again().start();
    for _ in 0..2 {
        match asked.recv_timeout(PATIENTLY).unwrap() {
            "keeper" => {
                let pid = fs::read(env.in_profile("work", "keeper.json")).unwrap();
                let keeper: Value = serde_json::from_slice(&pid).unwrap();
                let browser = env.browser();
                let keeper = env
                    .processes()
                    .into_iter()
                    .find(|one| json!(one.pid) == keeper["pid"])
                    .unwrap();
                keeper.signal(Signal::KILL);
                wait_for("the browser ends with its keeper", PATIENTLY, || {
                    (!env.browsers().contains(&browser)).then_some(())
                });
            }
            _ => env.browser().signal(Signal::KILL),
        }
        goes.send(()).unwrap();
    }
    let ended = resumed.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.contains("pressed"), "{ended:#?}");
    let shown = env.szk(["runs", "show", &run, "-s", "work"]).ok();
    assert!(shown.stdout.contains("the run goes on"), "{shown:#?}");
    again().fails("INVALID_INPUT");
    let none = ["runs", "resume", "20260101-000000-aaaaaa", "-s", "work"];
    env.szk(none).fails("NOT_FOUND");
}
