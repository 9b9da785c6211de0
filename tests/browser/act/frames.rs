//! Frames of the same and of other processes: nested, shifted and scaled.

use serde_json::{Value, json};

use super::Bench;
use crate::harness::Site;

const BUTTON: &str = "<body style='margin: 0; height: 1500px'><input id=name style='margin: 10px'><button id=go onclick=\"this.textContent = 'done'\" style='margin: 10px'>Go</button>
  <button id=low onclick=\"this.textContent = 'done'\" style='position: absolute; top: 1200px'>Low</button>
  <button onmousedown='frameElement.remove()' id=bye>Bye</button>";

fn site() -> Site {
    Site::plan()
        .on("/", |asked| {
            // Another site: another process.
            let port = asked.header("host").rsplit(':').next().unwrap_or_default().to_owned();
            crate::harness::Answer::html(format!(
                "<!doctype html><body style='margin: 30px; height: 3000px'>
                 <iframe id=same src=/inner style='border: 5px solid; padding: 7px; width: 300px; height: 200px; transform: scale(0.8)'></iframe>
                 <iframe id=other src='http://localhost:{port}/outer' style='margin-left: 40px; width: 400px; height: 300px'></iframe>
                 <iframe id=veiled src=/inner style='position: absolute; left: 30px; top: 400px; width: 300px; height: 100px'></iframe>
                 <div id=veil style='position: absolute; left: 20px; top: 390px; width: 320px; height: 120px; background: #0008'></div>
                 <iframe id=far src='http://localhost:{port}/inner' style='position: absolute; left: 30px; top: 2000px; width: 300px; height: 100px'></iframe>"
            ))
        })
        .page("/inner", BUTTON)
        .on("/outer", |asked| {
            let port = asked.header("host").rsplit(':').next().unwrap_or_default().to_owned();
            crate::harness::Answer::html(format!(
                "<body style='margin: 12px'><p>outer</p>
                 <iframe id=near src=/inner style='width: 320px; height: 80px'></iframe>
                 <iframe id=back src='http://127.0.0.1:{port}/inner' style='width: 320px; height: 80px'></iframe>"
            ))
        })
        .serve()
}

#[test]
fn every_frame_is_reached() {
    let mut bench = Bench::with(site());
    for frame in ["#same", "#other >> #near", "#other >> #back", "#far"] {
        for button in ["#go", "#low"] {
            let target = json!({"frame": frame, "selector": button});
            let did = bench.act("click", target);
            assert_eq!(did["changed"], true, "{frame} {button}: {did}");
            let done = json!({"selector": format!("{frame} >> {button}"), "kind": "click"});
            let again = bench.mcp.ok("browser_act", done);
            assert!(
                told(&again).contains("\"done\""),
                "{frame} {button}: {again}"
            );
        }
        let did = bench.act(
            "fill",
            json!({"frame": frame, "selector": "#name", "text": "Jane"}),
        );
        assert_eq!(did["value"], "Jane", "{frame}: {did}");
        let did = bench.act("type", json!({"text": " D"}));
        assert_eq!(did["value"], "Jane D", "the focus is in {frame}: {did}");
    }
    let failure = bench.fails(
        "click",
        json!({"selector": "#veiled >> #go"}),
        "CLICK_INTERCEPTED",
    );
    assert!(
        failure["message"].as_str().unwrap().contains("#veil"),
        "{failure}"
    );
    bench.fails("click", json!({"selector": "#same >> #none"}), "NOT_FOUND");
    // With its document goes who would tell of a change.
    let did = bench.act("click", json!({"selector": "#same >> #bye"}));
    assert_eq!(bench.page("document.querySelector('#same')"), json!(null));
    assert_eq!(did["changed"], true, "{did}");
    let gone = json!(["a frame was removed from the page"]);
    assert_eq!(did["notes"], gone, "{did}");
}

fn told(did: &Value) -> &str {
    did["target"].as_str().unwrap_or_default()
}
