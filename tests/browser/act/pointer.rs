//! The mouse in single steps, points of elements, and things that keep moving.

use serde_json::json;

use super::Bench;
use crate::harness::{SOON, Site, wait_for};

/// A pad that notes what the mouse does on it.
const PAD: &str = "<body style='margin: 0'><div id=pad style='position: absolute; left: 50px; top: 50px; width: 400px; height: 300px; background: silver'></div>
   <button id=other style='position: absolute; left: 600px; top: 400px'>Other</button>
   <script>
     var log = [];
     for (const kind of ['mousedown', 'mousemove', 'mouseup', 'click'])
       pad.addEventListener(kind, (event) => log.push([kind, event.clientX - 50, event.clientY - 50, event.buttons]));
   </script>";

#[test]
fn a_button_stays_down_between_calls() {
    let mut bench = Bench::of(PAD);
    let did = bench.act("down", json!({"selector": "#pad", "x": 10, "y": 20}));
    assert!(
        did["notes"][0].as_str().unwrap().contains("is down until"),
        "{did}"
    );
    bench.act("move", json!({"dx": 30, "dy": 0, "count": 3}));
    bench.act("move", json!({"selector": "#pad", "x": 100, "y": 120}));
    let did = bench.act("up", json!({}));
    assert_eq!(did.get("notes"), None, "{did}");
    let log = bench.page("log.splice(0).filter(one => one[0] !== 'mousemove' || one[3])");
    let log = log.as_array().unwrap();
    assert_eq!(log[0], json!(["mousedown", 10, 20, 1]));
    for (nth, x) in [(1, 20), (2, 30), (3, 40)] {
        assert_eq!(log[nth], json!(["mousemove", x, 20, 1]));
    }
    // A line is drawn point by point.
    assert!(log.len() > 12, "{log:?}");
    assert_eq!(log[log.len() - 3], json!(["mousemove", 100, 120, 1]));
    assert_eq!(log[log.len() - 2], json!(["mouseup", 100, 120, 0]));
    assert_eq!(log[log.len() - 1], json!(["click", 100, 120, 0]));
    bench.fails("up", json!({}), "INVALID_INPUT");
    bench.fails("move", json!({}), "INVALID_INPUT");
    bench.fails(
        "down",
        json!({"selector": "#pad", "x": 401, "y": 20}),
        "INVALID_INPUT",
    );
    // Another button, and a movement that takes its time.
    bench.act("down", json!({"selector": "#pad", "button": "right"}));
    bench.fails("down", json!({"button": "right"}), "INVALID_INPUT");
    let took = "(() => { const all = log.filter(one => one[0] === 'mousemove' && one[3] === 2); return all.length })()";
    bench.act("move", json!({"dx": 50, "time_ms": 320}));
    assert!(bench.page(took).as_i64().unwrap() >= 10);
    bench.act("up", json!({"button": "right"}));
}

#[test]
fn a_button_is_released_by_what_needs_it_and_by_another_document() {
    let mut bench = Bench::with(
        Site::plan()
            .page("/", PAD)
            .page("/next", "<script>var ups = 0; addEventListener('mousemove', (event) => { ups = event.buttons })</script>next")
            .serve(),
    );
    bench.act("down", json!({"selector": "#pad"}));
    let did = bench.act("click", json!({"selector": "#other"}));
    let note = did["notes"][0].as_str().unwrap();
    assert!(note.contains("was still down"), "{did}");
    bench.act("down", json!({"selector": "#pad"}));
    bench.go("/next");
    wait_for("the button to be up", SOON, || {
        let did = bench.act("move", json!({"x": 30, "y": 40}));
        did.get("notes").is_none().then_some(())
    });
    bench.act("move", json!({"x": 50, "y": 60}));
    assert_eq!(bench.page("ups"), 0);
}

#[test]
fn the_pages_own_drags_in_single_steps() {
    let mut bench = Bench::of(
        "<style>div { position: absolute; width: 80px; height: 80px; background: teal }</style>
         <div id=own draggable=true style='left: 20px; top: 20px'></div>
         <div id=way style='left: 200px; top: 20px'></div><div id=to style='left: 400px; top: 300px'></div>
         <script>
           var log = [];
           for (const kind of ['dragstart', 'dragend']) own.addEventListener(kind, (event) => { log.push(kind); event.dataTransfer.setData('text/plain', 'carried'); });
           way.ondragenter = (event) => { event.preventDefault(); log.push('over'); };
           to.ondragover = (event) => event.preventDefault();
           to.ondrop = (event) => { event.preventDefault(); log.push('drop ' + event.dataTransfer.getData('text/plain')); };
         </script>",
    );
    bench.act("down", json!({"selector": "#own"}));
    bench.act("move", json!({"selector": "#way"}));
    bench.act("move", json!({"selector": "#to"}));
    bench.act("up", json!({}));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["dragstart", "over", "drop carried", "dragend"])
    );
    // What nothing takes is let go all the same, and that is said.
    bench.act("down", json!({"selector": "#own"}));
    bench.act("move", json!({"x": 50, "y": 500}));
    let did = bench.act("up", json!({}));
    assert_eq!(bench.page("log.splice(0)"), json!(["dragstart", "dragend"]));
    let refused = "nothing there took what was dropped";
    assert!(did.to_string().contains(refused), "{did}");
    // What a click needs is given up, and the mouse is free again.
    bench.act("down", json!({"selector": "#own"}));
    bench.act("move", json!({"selector": "#way"}));
    bench.act("click", json!({"selector": "#to"}));
    assert_eq!(
        bench.page("log.splice(0)"),
        json!(["dragstart", "over", "dragend"])
    );
    bench.act("drag", json!({"selector": "#own", "to": "#to"}));
    assert_eq!(bench.page("log.includes('drop carried')"), true);
}

#[test]
fn drags_from_and_to_points_of_elements() {
    let mut bench = Bench::of(PAD);
    bench.act(
        "drag",
        json!({"selector": "#pad", "x": 10, "y": 20, "to": "#pad@110,220"}),
    );
    let ends = "(() => { const all = log.splice(0).filter(one => /down|up/.test(one[0])); return all.map(one => one.slice(1, 3)) })()";
    assert_eq!(bench.page(ends), json!([[10, 20], [110, 220]]));
    bench.act(
        "drag",
        json!({"selector": "#pad", "x": 10, "y": 20, "dx": 33, "dy": -5}),
    );
    assert_eq!(bench.page(ends), json!([[10, 20], [43, 15]]));
    bench.act("click", json!({"selector": "#pad", "x": 3, "y": 4}));
    assert_eq!(bench.page("log.pop()"), json!(["click", 3, 4, 0]));
    bench.act("click", json!({"selector": "#pad@5,6"}));
    assert_eq!(bench.page("log.pop()"), json!(["click", 5, 6, 0]));
    bench.fails(
        "fill",
        json!({"selector": "#pad", "x": 3, "y": 4, "text": "a"}),
        "INVALID_INPUT",
    );
}

#[test]
fn what_keeps_moving_is_clicked_where_it_is() {
    // It goes round in a circle, by the same step in every frame, however many of them a busy machine draws: no two
    // looks see it in the same place.
    let mut bench = Bench::of(
        "<style>#it { position: absolute; width: 80px; height: 60px }</style><button id=it onclick='hits++'>It</button>
         <script>
           var hits = 0, all = 0, turns = 0, goes = true;
           addEventListener('click', () => all++);
           const move = () => {
             turns++;
             if (goes) { it.style.left = 400 + 200 * Math.cos(turns / 70) + 'px'; it.style.top = 300 + 200 * Math.sin(turns / 70) + 'px'; }
             requestAnimationFrame(move);
           };
           move();
         </script>",
    );
    let did = bench.act("click", json!({"selector": "#it"}));
    assert_eq!(bench.page("[hits, all]"), json!([1, 1]), "{did}");
    let notes = did["notes"].to_string();
    assert!(
        notes.contains("it keeps moving: the pointer followed it, aimed "),
        "{did}"
    );
    // One that runs away from the pointer is given up, and nothing else is pressed.
    bench.act("hover", json!({"x": 900, "y": 600}));
    bench.page("goes = false; it.style.left = it.style.top = '100px'; it.onpointerover = () => { it.style.left = (it.offsetLeft + 300) % 700 + 'px' }; 0");
    let failure = bench.fails("click", json!({"selector": "#it"}), "NOT_ACTIONABLE");
    let said = failure["message"].as_str().unwrap();
    assert!(said.contains("keeps moving"), "{failure}");
    assert_eq!(bench.page("all"), json!(1));
}
