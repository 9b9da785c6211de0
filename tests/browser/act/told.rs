//! What an act changed is told whatever the caller looked at before, and late effects with it.

use serde_json::json;

use super::Bench;
use crate::harness::{Answer, Site};

#[test]
fn changes_are_told_whatever_was_looked_at_and_late_ones_too() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><main aria-label=Shop><p id=month>October</p><button id=next>Next</button>
         <ul id=days></ul><button id=late>Menu</button><div id=menu role=menu hidden><div role=menuitem>Open</div></div>
         <div id=box role=alert></div><button id=idle>Idle</button>
         <button onclick=\"document.title = '(1) shop'\">Notify</button></main><p id=far>far</p>
         <script>
           days.innerHTML = Array.from({length: 31}, (_, day) => `<li><a href=#>${day + 1} Oct</a>`).join('');
           next.onclick = () => {
             month.textContent = 'November'; days.innerHTML = '<li><a href=#>1 Nov</a>'; box.textContent = 'Changed'; far.textContent = 'away';
           };
           late.onclick = () => setTimeout(() => { menu.hidden = false; }, 200);
         </script>",
    );
    // Neither the mode nor the scope of what was looked at matters.
    bench.mcp.ok(
        "browser_snapshot",
        json!({"mode": "minimal", "scope": "#next"}),
    );
    let did = bench.act("click", json!({"name": "next"}));
    let diff = did["diff"].as_str().unwrap();
    let lines: Vec<&str> = diff.lines().collect();
    // What is urgent comes first; what went away together is one line.
    assert!(
        lines[1].starts_with("~ ") && lines[1].ends_with("alert: Changed"),
        "{diff}"
    );
    for part in [
        "~   - paragraph: November",
        "\"1 Nov\" [e",
        "~ - paragraph: away",
    ] {
        assert!(diff.contains(part), "{part}: {diff}");
    }
    assert!(
        diff.contains("gone: ") && diff.contains("31 link"),
        "{diff}"
    );
    assert_eq!(diff.matches("Oct").count(), 2, "{diff}");
    // An act that has done nothing so far is waited for, which the answer says.
    let did = bench.act("click", json!({"text": "Menu"}));
    let diff = did["diff"].as_str().unwrap();
    assert!(diff.contains("menuitem \"Open\" [e"), "{did}");
    let notes = did["notes"].to_string();
    assert!(notes.contains("something changed late"), "{notes}");
    assert_eq!(did["changed"], true, "{did}");
    let did = bench.act("click", json!({"name": "Idle"}));
    assert_eq!(did["diff"], json!(null), "{did}");
    // No snapshot lists the title, but it says something; once.
    let did = bench.act("click", json!({"name": "Notify"}));
    assert_eq!(did["diff"], json!("~ title: \"(1) shop\""), "{did}");
    let did = bench.act("click", json!({"name": "Idle"}));
    assert_eq!(did["diff"], json!(null), "{did}");
}

/// What a snapshot leaves out is read after its answer, and before anything else is done.
#[test]
fn what_is_done_right_after_a_snapshot_is_told() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button onclick='n.textContent = Number(n.textContent) + 1'>Count</button><output id=n>0</output>
         <div id=rows></div><p id=far>far</p>
         <script>rows.innerHTML = '<p>A paragraph without any controls near it.</p>'.repeat(300);</script>",
    );
    let looks = [
        json!({}),
        json!({"mode": "minimal"}),
        json!({"scope": "button"}),
    ];
    for round in 0..5 {
        for (nth, look) in looks.iter().enumerate() {
            bench.mcp.ok("browser_snapshot", look.clone());
            let word = format!("away {round} {nth}");
            bench
                .mcp
                .eval("work", &format!("far.textContent = '{word}'"));
            let did = bench.act("click", json!({"name": "Count"}));
            let diff = did["diff"].as_str().unwrap_or_default();
            assert!(diff.contains(&word), "{did}");
        }
    }
}

/// Steps of a batch report their names; what all of them changed is said once.
#[test]
fn a_batch_of_lines_tells_its_changes_once() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button id=add>Add</button><button id=slow>Slow</button><output id=count>0</output>
         <input aria-label=Amount type=number><script>
           add.onclick = () => { count.textContent = Number(count.textContent) + 1; };
           slow.onclick = () => setTimeout(() => { const b = document.createElement('button'); b.id = 'came'; b.textContent = 'Came'; document.body.append(b); }, 300);
         </script>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    let steps = [
        "click text=Add --until 3",
        "click #add --count 5",
        "fill --name Amount -5",
        "click text=Slow --if nothing",
        "click text=Slow",
        "click #came",
    ];
    let line: Vec<&str> = ["batch"].into_iter().chain(steps).collect();
    let ran = bench.env.szk(line.into_iter().chain(["-s", "work"])).ok();
    let out = &ran.stdout;
    for part in [
        "1. click text=Add --until 3: run 3 times",
        "2. click #add --count 5: clicked",
        "4. click text=Slow --if nothing: skipped, as the page does not show \"nothing\"",
        "6. click #came: clicked",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // What was repeated is told once.
    assert_eq!(out.matches("1. click text=Add").count(), 1, "{out}");
    let (_, diff) = out.split_once("changed since you last looked:").unwrap();
    assert!(
        diff.contains("status: 8") && diff.contains("\"Came\" [e"),
        "{out}"
    );
    // What a field holds is told with its step, and only there.
    assert!(out.contains("value: -5") && !diff.contains(": -5"), "{out}");
    assert_eq!(out.matches("changed since").count(), 1, "{out}");
    // `-5-5` is no number, so the field holds nothing.
    let failure = bench.fails(
        "type",
        json!({"name": "Amount", "text": "-5"}),
        "NOT_ACTIONABLE",
    );
    assert_eq!(failure["effect"], "done", "{failure}");
    // The terminal speaks of its own commands, and says once what waits.
    bench.page("document.body.insertAdjacentHTML('beforeend', '<input type=file id=file>'); 0");
    let ran = bench
        .env
        .szk(["batch", "click #file", "find Add", "-s", "work"])
        .ok();
    let waits = "shows a file chooser (one file); give it files with `szk arm chooser`";
    assert_eq!(ran.stdout.matches(waits).count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("browser_"), "{}", ran.stdout);
    bench
        .env
        .szk(["arm", "chooser", "--refuse", "-s", "work"])
        .ok();
    // What a style sheet alone shows under the pointer.
    bench.page("document.body.insertAdjacentHTML('beforeend', `<style>nav a + a { display: none } nav:hover a { display: inline }</style><nav><a href=#p>Products</a> <a href=#l>Lamps</a></nav>`); 0");
    bench.mcp.ok("browser_snapshot", json!({}));
    let did = bench.act("hover", json!({"name": "Products"}));
    let diff = did["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("link \"Lamps\""), "{did}");
}

/// A batch waits for what its last act may still cause, as a single act does; a control that reports its own
/// change has done nothing else yet.
#[test]
fn late_effects_of_a_batch_and_of_a_check_are_told() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button id=idle>Idle</button><button id=slow>Slow</button><label><input type=checkbox id=box>Gift</label>
         <script>
           const later = (text) => setTimeout(() => { const b = document.createElement('button'); b.textContent = text; document.body.append(b); }, 150);
           slow.onclick = () => later('Came'); box.onchange = () => later(box.checked ? 'Wrapped' : 'Plain');
         </script>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    let step =
        |id: &str| json!({"tool": "browser_act", "input": {"kind": "click", "selector": id}});
    let ran = bench.mcp.ok(
        "browser_batch",
        json!({"steps": [step("#idle"), step("#slow")]}),
    );
    assert!(ran["diff"].as_str().unwrap().contains("\"Came\""), "{ran}");
    let did = bench.act("check", json!({"selector": "#box"}));
    let diff = did["diff"].as_str().unwrap();
    assert!(diff.contains("\"Wrapped\""), "{did}");
    let ran = bench
        .mcp
        .ok("browser_batch", json!({"steps": [step("#box")]}));
    assert!(ran["diff"].as_str().unwrap().contains("\"Plain\""), "{ran}");
}

/// Not even between the end of the act and the wait for its late effects is a change missed.
#[test]
fn what_changes_at_any_moment_after_an_act_is_told() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button id=go>Go</button><p id=out>none</p>
         <script>
           let after = 0;
           go.onclick = () => { const ms = after++; setTimeout(() => { out.textContent = `after ${ms} ms`; }, ms); };
         </script>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    let missed: Vec<u32> = (0..30)
        .filter(|ms| {
            let did = bench.act("click", json!({"selector": "#go"}));
            !did["diff"].to_string().contains(&format!("after {ms} ms"))
        })
        .collect();
    assert!(missed.is_empty(), "after {missed:?} ms");
}

/// What an act changes in a frame is told, at once or later, whether the frame has a process of its own or not.
#[test]
fn what_changes_in_a_frame_is_told() {
    let frame = "<!doctype html><p id=out>none</p><button id=go>Go</button><script>
        const say = (word) => { out.textContent = word; };
        onmessage = ({ data: [word, ms] }) => ms ? setTimeout(say, ms, word) : say(word);
        go.onclick = () => setTimeout(say, 150, 'inside');
      </script>";
    let site = Site::plan()
        .on("/", |asked| {
            let other = format!("http://{}/frame", asked.header("host"));
            let other = other.replace("127.0.0.1", "localhost");
            Answer::html(format!(
                "<!doctype html><title>t</title><iframe title=same src=/frame></iframe>
                 <iframe title=other src='{other}'></iframe>
                 <button id=idle>Idle</button><button id=tell>Tell</button>
                 <input id=field><label id=label for=field>Field</label>
                 <script>
                   let frame = 0, message = [];
                   tell.onclick = () => frames[frame].postMessage(message, '*');
                 </script>"
            ))
        })
        .page("/frame", frame)
        .serve();
    let mut bench = Bench::with(site);
    bench.mcp.ok("browser_snapshot", json!({}));
    for frame in [0, 1] {
        for (word, ms) in [("at once", 0), ("soon", 20), ("later", 150)] {
            bench.page(&format!("frame = {frame}; message = ['{word}', {ms}]; 0"));
            let did = bench.act("click", json!({"selector": "#tell"}));
            let diff = did["diff"].as_str().unwrap_or_default();
            assert!(diff.contains(word), "{frame} {word}: {did}");
            assert_eq!(did["changed"], true, "{did}");
        }
    }
    let inside = json!({"selector": "iframe[title=other] >> #go"});
    let did = bench.act("click", inside);
    let diff = did["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("inside"), "{did}");
    let notes = did["notes"].to_string();
    assert!(notes.contains("something changed late"), "{notes}");
    // What has no effect anywhere has none.
    for _ in 0..2 {
        let did = bench.act("click", json!({"selector": "#idle"}));
        assert_eq!(did["diff"], json!(null), "{did}");
        assert_eq!(did["changed"], false, "{did}");
    }
    // A field gets the caret, and a label gives the focus to something else.
    for field in ["#field", "#label"] {
        bench.page("document.activeElement.blur()");
        let did = bench.act("click", json!({"selector": field}));
        assert_eq!(did["changed"], true, "{did}");
    }
}
