//! What pages see of the input, at either pace, and that they see nothing else.

use serde_json::{Value, json};

use super::Bench;

const PAGE: &str = r#"<!doctype html><style>body { margin: 40px; height: 600px }</style>
<input id=text><button id=go style="position: absolute; left: 700px; top: 400px; width: 120px; height: 44px">Go</button>
<script>
  var events = [], changes = 0;
  var globals = Object.getOwnPropertyNames(window).length;
  for (const kind of ['pointermove', 'pointerdown', 'pointerup', 'keydown', 'keyup'])
    addEventListener(kind, (event) => events.push({
      kind, time: event.timeStamp, trusted: event.isTrusted, x: event.clientX, y: event.clientY, pressure: event.pressure,
      buttons: event.buttons, code: event.code, coalesced: event.getCoalescedEvents?.().length,
    }), true);
  new MutationObserver((list) => changes += list.length).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  for (const owner of [Element, Document, Node, HTMLElement, EventTarget]) for (const name of Object.getOwnPropertyNames(owner.prototype)) {
    const own = Object.getOwnPropertyDescriptor(owner.prototype, name);
    if (typeof own.value !== 'function' || name === 'constructor' || !own.configurable) continue;
    owner.prototype[name] = function (...args) { calls.push(name); return own.value.apply(this, args); };
  }
  var calls = [];
</script>"#;

fn worked(bench: &mut Bench, pace: &str) -> Vec<Value> {
    bench.act("click", json!({"selector": "#go", "input": pace}));
    bench.act(
        "type",
        json!({"selector": "#text", "text": "Hi There", "input": pace}),
    );
    let events = bench.page("events.splice(0)");
    events.as_array().unwrap().clone()
}

/// Real devices count in whole milliseconds, so all events of a page have the same rest. Chromium shows
/// tenths, and blurs the border between two of them: a rest close to it is shown as either.
#[track_caller]
fn one_clock(events: &[Value]) {
    let times = events.iter().map(|event| event["time"].as_f64().unwrap());
    let times: Vec<f64> = times.collect();
    // Of fewer, chance alone could put all into two tenths.
    assert!(times.len() >= 12, "{times:?}");
    let mut tenths = [0; 10];
    for time in &times {
        tenths[(time * 10.0).round() as usize % 10] += 1;
    }
    let most = tenths.into_iter().max().unwrap_or_default();
    let neighbours = |tenth: usize| tenths[tenth] + tenths[(tenth + 1) % 10];
    let is_border = (0..10).any(|tenth| neighbours(tenth) == times.len());
    assert!(most * 10 >= times.len() * 8 || is_border, "{tenths:?}");
    assert!(times.is_sorted(), "{times:?}");
}

fn dwell(events: &[Value], down: &str, up: &str) -> f64 {
    let time = |kind: &str| {
        let event = events.iter().find(|event| event["kind"] == kind);
        event.unwrap_or_else(|| panic!("no {kind}"))["time"]
            .as_f64()
            .unwrap()
    };
    time(up) - time(down)
}

#[test]
fn both_paces_make_true_events_and_nothing_else() {
    let mut bench = Bench::of(PAGE);
    for pace in ["fast", "human"] {
        let events = worked(&mut bench, pace);
        one_clock(&events);
        for event in &events {
            assert_eq!(event["trusted"], true, "{event}");
            let pressure = if event["buttons"] == 0 { 0.0 } else { 0.5 };
            if event["kind"].as_str().unwrap().starts_with("pointer") {
                assert_eq!(event["pressure"], pressure, "{event}");
                assert_eq!(event["x"].as_f64().unwrap().fract(), 0.0, "{event}");
            }
        }
        let moves = events
            .iter()
            .filter(|event| event["kind"] == "pointermove")
            .count();
        let (button, key) = (
            dwell(&events, "pointerdown", "pointerup"),
            dwell(&events, "keydown", "keyup"),
        );
        if pace == "human" {
            assert!(moves > 10, "{moves} moves");
            assert!(button > 20.0 && key > 25.0, "{button} {key}");
        } else {
            assert!(moves <= 4, "{moves} moves");
        }
    }
    let seen = bench.page("[changes, Object.getOwnPropertyNames(window).length - globals, calls.filter(name => name !== 'addEventListener')]");
    assert_eq!(
        seen,
        json!([0, 0, []]),
        "acts leave nothing but their events"
    );
}

/// A person's pace is made by hand all the way: a long text is typed, a list and a file field are clicked,
/// and a question is read before it is answered.
#[test]
fn a_persons_pace_is_made_by_hand() {
    let mut bench = Bench::of(
        "<input type=file id=file><select id=list><option>one<option>two<option>three</select><textarea id=text></textarea>
         <button id=ask onclick='began = performance.now(); told = confirm(`Sure?`); took = performance.now() - began'>Ask</button>
         <script>
           var log = [], told, took, began;
           for (const kind of ['mousedown', 'keydown', 'click', 'change', 'cancel']) addEventListener(kind, (event) => log.push(event.target.id + ' ' + kind + ' ' + event.isTrusted), true);
           var focus = [];
           addEventListener('focusin', (event) => focus.push(!!event.sourceCapabilities), true);
         </script>",
    );
    let file = bench.env.work().join("a.txt");
    std::fs::write(&file, "a").unwrap();
    bench.act(
        "upload",
        json!({"selector": "#file", "paths": [file], "input": "human"}),
    );
    assert_eq!(
        bench.page("[log.splice(0), file.files[0].name]"),
        json!([
            ["file mousedown true", "file click true", "file change true"],
            "a.txt"
        ])
    );
    let did = bench.act(
        "select",
        json!({"selector": "#list", "values": ["three"], "input": "human"}),
    );
    let log = bench.page("[log.splice(0), list.value, focus.every((known) => known)]");
    assert_eq!(
        (&log[1], &log[2]),
        (&json!("three"), &json!(true)),
        "{did} {log}"
    );
    assert_eq!(log[0][0], "list mousedown true");
    let mut filled = |text: &str, timeout: u64| {
        let did = bench.act(
            "fill",
            json!({"selector": "#text", "text": text, "input": "human", "timeout_ms": timeout}),
        );
        assert_eq!(bench.page("text.value"), json!(text));
        let keys =
            bench.page("log.splice(0).filter(entry => entry === 'text keydown true').length");
        (keys.as_u64().unwrap(), did.to_string())
    };
    assert_eq!(filled("typed by hand", 30_000).0, 13);
    // One that would take longer than the call has is not; the answer says so.
    let (keys, did) = filled(&"too long ".repeat(8), 6_000);
    assert!(keys < 8 && did.contains("inserted at once"), "{keys} {did}");
    bench.act(
        "click",
        json!({"selector": "#ask", "dialog": "accept", "input": "human"}),
    );
    assert_eq!(bench.page("[told, took > 800]"), json!([true, true]));
}
