//! What was waited for is expected of a replay, and elements that look alike are told apart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::harness::{Answer, Lease, Mcp, Site};

/// An application that ignores everything until it is ready, which takes longer when it is `slow`; then its
/// parts have other places, too. The title tells what was done.
fn application(slow: bool) -> String {
    let (delay, news) = match slow {
        true => (2_500, "<div>News <a href='#more'>More</a></div>"),
        false => (50, ""),
    };
    format!(
        "<html lang=en><title>did</title><style>.node {{ width: 300px; height: 40px }} .label {{ width: 40px }}</style>
        {news}<h1>Flows</h1><p id=state>Loading</p><button id=start>Start</button>
        <div><div><p>Welcome to the tour</p><div><button class=close style='width: 30px; height: 30px'></button></div></div></div>
        <div id=palette><div class=node tabindex=0><div class=label tabindex=0>inject</div></div></div>
        <div id=end></div><script>
        let ready = false;
        const say = (what) => {{ if (ready) document.title += ' ' + what; }};
        setTimeout(() => {{ ready = true; state.textContent = 'All is ready'; }}, {delay});
        start.onclick = () => {{ say('start'); setTimeout(() => {{ state.textContent = 'Running now'; }}, {delay} / 5); }};
        document.querySelector('.close').onclick = () => say('close');
        document.querySelector('.node').onclick = (event) => say(event.target.className);
        document.querySelector('.label').onclick = () => {{}};
        </script>"
    )
}

fn title(mcp: &mut Mcp) -> Value {
    mcp.ok("browser_run_code", json!({"code": "document.title"}))["value"].clone()
}

#[test]
fn waits_are_expected_and_what_looks_alike_is_told_apart() {
    let env = Lease::take();
    let slow = Arc::new(AtomicBool::new(false));
    let served = Arc::clone(&slow);
    let site = Site::plan()
        .on("/", move |_| {
            Answer::html(application(served.load(Ordering::SeqCst)))
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("recipe_record", json!({"action": "start", "name": "begin"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for act in [
        json!({"kind": "wait", "text": "all is READY"}),
        json!({"kind": "click", "selector": "#start"}),
        json!({"kind": "wait", "text": "/Running\\s/"}),
        json!({"kind": "wait", "text": "Loading", "state": "hidden"}),
        json!({"kind": "click", "selector": ".close"}),
        json!({"kind": "click", "selector": ".node"}),
        json!({"kind": "wait", "selector": "h1"}),
    ] {
        mcp.ok("browser_act", act);
    }
    let did = "did start close node";
    assert_eq!(title(&mut mcp), did);
    let logged = mcp.ok("browser_logs", json!({"kind": "acts"})).to_string();
    assert!(logged.contains("all is READY"), "{logged}");
    let saved = mcp.ok("recipe_record", json!({"action": "stop"}));
    let text = saved["text"].as_str().unwrap().to_owned();
    for line in [
        "expect = { text = \"all is READY\" }",
        "no_text = \"Loading\"",
        "around = \"Welcome to the tour\"",
        "appears = { name = \"Flows\", role = \"heading\" }",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("do = \"wait\""), "{text}");

    slow.store(true, Ordering::SeqCst);
    let ran = mcp.ok("recipe_run", json!({"name": "begin"}));
    assert_eq!(title(&mut mcp), did, "{ran}");

    let steps = mcp.ok("recipe_export", json!({"name": "begin", "format": "batch"}));
    let steps: Value = serde_json::from_str(steps["text"].as_str().unwrap()).unwrap();
    let steps: Vec<Value> = steps.as_array().unwrap()[..4].to_vec();
    mcp.ok("browser_batch", json!({"steps": steps}));
    assert_eq!(title(&mut mcp), "did start");

    // What does not come true stops the run, when it should have by now.
    let late = text.replace(
        "text = \"all is READY\"",
        "text = \"all is lost\", seconds = 1",
    );
    mcp.ok("recipe_save", json!({"name": "begin", "text": late}));
    let failure = mcp.fails("recipe_run", json!({"name": "begin"}), "RECIPE_STALE");
    let said = failure.to_string();
    assert!(said.contains("does not show the text"), "{said}");
    assert!(said.contains("step 1: "), "{said}");
    mcp.ok("recipe_delete", json!({"name": "begin"}));
}

/// A page that goes on changing for longer than an element may take on one that does not, and then shows a
/// button; of its two alike, one goes away a little later.
const BUSY: &str = "<html lang=en><title>did</title><p id=state>0</p><div id=place></div><script>
    let count = 0;
    const timer = setInterval(() => {
      state.textContent = 'Part ' + ++count;
      if (count < 27) return;
      clearInterval(timer);
      place.innerHTML = '<button>Go on</button><button id=old>Go on</button>';
      setTimeout(() => old.remove(), 200);
    }, 100);
    onclick = (event) => { document.title += ' ' + (event.target.id || event.target.textContent); };
    </script>";

/// A button that is another one as soon as the pointer is over it.
const TURNS: &str = "<html lang=en><title>untouched</title><button>Go on</button><script>
    const button = document.querySelector('button');
    button.onmouseenter = () => { button.textContent = 'Delete everything'; };
    button.onclick = () => { document.title = 'pressed'; };
    </script>";

#[test]
fn an_element_may_take_as_long_as_the_page_changes() {
    let env = Lease::take();
    let site = Site::plan()
        .on("/", |_| Answer::html(BUSY.to_owned()))
        .on("/turns", |_| Answer::html(TURNS.to_owned()))
        .serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    let text = format!(
        "[recipe]\nname = \"busy\"\nsite = \"{}\"\n[[step]]\ndo = \"navigate\"\nvalue = \"/\"\n\
         [[step]]\ndo = \"click\"\non = {{ role = \"button\", name = \"Go on\" }}\n",
        site.origin()
    );
    mcp.ok("recipe_save", json!({"name": "busy", "text": text}));
    let ran = mcp.ok("recipe_run", json!({"name": "busy"}));
    assert_eq!(title(&mut mcp), "did Go on", "{ran}");
    mcp.ok("recipe_delete", json!({"name": "busy"}));

    // What becomes something else under the pointer is not pressed.
    mcp.ok("browser_navigate", json!({"url": site.url("/turns")}));
    let turns = text
        .replace("busy", "turns")
        .replace("value = \"/\"", "value = \"/turns\"");
    mcp.ok("recipe_save", json!({"name": "turns", "text": turns}));
    let failure = mcp.fails("recipe_run", json!({"name": "turns"}), "RECIPE_STALE");
    assert_eq!(title(&mut mcp), "untouched", "{failure}");
    mcp.ok("recipe_delete", json!({"name": "turns"}));
}
