//! An act names the downloads that it started.

use std::sync::Mutex;
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use super::Bench;
use crate::harness::{Answer, SOON, Site, wait_for};

const PAGE: &str = "<!doctype html><title>files</title>
<a id=plain href=/plain download=plain.txt>Plain</a>
<a id=blob download=blob.txt>Blob</a>
<a id=data href='data:text/plain,hello' download=data.txt>Data</a>
<a id=missing href=/missing download=missing.txt>Missing</a>
<a id=slow href=/slow download=slow.txt>Slow</a>
<a id=stopped href=/plain download=stopped.txt onclick='event.preventDefault()'>Stopped</a>
<a id=kept href=/plain download=kept.txt onclick='event.stopImmediatePropagation()'><b>Kept</b></a>
<button id=two onclick='plain.click(); data.click()'>Two</button>
<button id=made onclick=\"const a = document.createElement('a'); a.href = '/plain'; a.download = 'made.txt'; a.click()\">Made</button>
<script>blob.href = URL.createObjectURL(new Blob(['x']))</script>";

fn names(did: &Value) -> Vec<&str> {
    let names = did["downloads"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn links_that_are_downloads() {
    let (came, comes) = channel();
    let (release, released) = channel();
    let released = Mutex::new(released);
    let site = Site::plan()
        .page("/", PAGE)
        .page("/plain", "plain")
        .on("/missing", |_| Answer::status(404))
        .on("/slow", move |_| {
            came.send(()).unwrap();
            released.lock().unwrap().recv().unwrap();
            Answer::html("slow")
        })
        .serve();
    let mut bench = Bench::with(site);
    // No more than ten, or Chromium would ask.
    for id in ["plain", "blob", "data", "missing", "kept"] {
        let did = bench.act("click", json!({"selector": format!("#{id}")}));
        assert_eq!(names(&did), [format!("{id}.txt")], "{did}");
    }
    let did = bench.act("click", json!({"selector": "#two"}));
    assert_eq!(names(&did), ["data.txt", "plain.txt"], "{did}");
    let did = bench.act("click", json!({"selector": "#stopped"}));
    assert_eq!(names(&did), [""; 0], "{did}");
    let did = bench.act("press", json!({"selector": "#plain", "key": "Enter"}));
    assert_eq!(names(&did), ["plain.txt"], "{did}");
    // Nothing is known about it until the slow server answers.
    let id = bench
        .mcp
        .post("browser_act", json!({"kind": "click", "selector": "#slow"}));
    comes.recv().unwrap();
    release.send(()).unwrap();
    let did = bench.mcp.answer(id)["result"]["structuredContent"].clone();
    assert_eq!(names(&did), ["slow.txt"], "{did}");
}

/// If only a script knows the link, just the download itself reveals it: an answer reports it, once.
#[test]
fn what_a_script_makes_is_told_with_an_answer() {
    let site = Site::plan().page("/", PAGE).page("/plain", "plain").serve();
    let mut bench = Bench::with(site);
    let mut told = String::new();
    let mut hear = |answer: Value| {
        told.push_str(answer["content"][0]["text"].as_str().unwrap());
        told.push('\n');
    };
    hear(
        bench
            .mcp
            .call("browser_act", json!({"kind": "click", "selector": "#made"})),
    );
    wait_for("the download", SOON, || {
        let logs = bench.mcp.ok("browser_logs", json!({"kind": "downloads"}));
        (logs["entries"][0]["state"] == "completed").then_some(())
    });
    hear(bench.mcp.call("browser_snapshot", json!({})));
    assert!(told.contains("download \"made.txt\" (completed)"), "{told}");
    let next = bench.mcp.call("browser_snapshot", json!({}));
    let next = next["content"][0]["text"].as_str().unwrap();
    assert!(!next.contains("made.txt"), "once: {next}");
}
