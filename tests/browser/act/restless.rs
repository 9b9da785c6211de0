//! Late effects on pages that never rest, and changes on pages that are too slow to be compared as a whole.

use serde_json::{Value, json};

use super::Bench;
use crate::harness::Site;

fn diff(did: &Value) -> &str {
    did["diff"].as_str().unwrap_or_default()
}

/// A clock ticks, a script moves something, and a style sheet animates something else, all the time.
const RESTLESS: &str = "<p id=clock>12:00:00</p><i id=ball style='position: absolute; left: 0px'>o</i>
    <b style='animation: turn 1s infinite'>x</b><style>@keyframes turn { to { rotate: 360deg } }</style><script>
    let tick = 0, at = 0;
    setInterval(() => { clock.textContent = `12:00:${String(++tick % 60).padStart(2, '0')}`; }, 40);
    (function move() { at = (at + 3) % 300; ball.style.left = `${at}px`; requestAnimationFrame(move); })();
    </script>";

#[test]
fn late_effects_are_seen_on_pages_that_never_rest() {
    let mut bench = Bench::of(&format!(
        "<!doctype html><title>t</title><button id=menu>Menu</button><ul role=menu hidden><li role=menuitem>Open</ul>
         <button id=text>Text</button><p id=said></p><button id=count>Add</button><output id=sum>0</output>
         <button>Idle</button><button id=both>Both</button><input aria-label=City role=combobox aria-autocomplete=list id=city>
         <ul role=listbox hidden id=cities><li role=option>Paris</ul>{RESTLESS}<script>
         const late = (does) => () => setTimeout(does, 250);
         menu.onclick = late(() => {{ document.querySelector('[role=menu]').hidden = false; }});
         text.onclick = late(() => {{ said.textContent = 'Arrived'; }});
         count.onclick = () => {{ sum.textContent = Number(sum.textContent) + 1; }};
         both.onclick = () => {{ both.textContent = 'Busy'; late(() => {{ both.textContent = 'Ready'; }})(); }};
         city.oninput = late(() => {{ cities.hidden = false; }});
         </script>"
    ));
    bench.mcp.ok("browser_snapshot", json!({}));
    for (name, expected) in [("Menu", "menuitem \"Open\" [e"), ("Text", "Arrived")] {
        let did = bench.act("click", json!({"name": name}));
        assert!(diff(&did).contains(expected), "{did}");
        let notes = did["notes"].to_string();
        assert!(notes.contains("something changed late"), "{did}");
    }
    let did = bench.act("type", json!({"name": "City", "text": "P"}));
    assert!(diff(&did).contains("option \"Paris\" [e"), "{did}");
    // What an event does is its effect, even if only a figure changes: nothing is waited for.
    let did = bench.act("click", json!({"name": "Add"}));
    assert!(diff(&did).contains("status: 1"), "{did}");
    assert!(!did["notes"].to_string().contains("waited"), "{did}");
    // What changes by itself is no effect, and the answer says that it was waited for another.
    let did = bench.act("click", json!({"name": "Idle"}));
    let notes = did["notes"].to_string();
    assert!(notes.contains("only figures changed"), "{did}");
    // In a batch, too, which says once how long it waited.
    bench.page("document.querySelector('[role=menu]').hidden = true; 0");
    bench.mcp.ok("browser_snapshot", json!({}));
    let ran = bench
        .env
        .szk([
            "batch",
            "click --name Idle",
            "click --name Menu",
            "-s",
            "work",
        ])
        .ok();
    assert!(
        ran.stdout.contains("menuitem \"Open\" [e"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stdout.matches("waited ").count(), 1, "{}", ran.stdout);
}

#[test]
fn what_a_page_says_that_it_is_at_work_on_is_waited_for() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button id=save>Save</button><button id=seek>Find</button><button id=long>Long</button>
         <button id=more>More</button><p id=said></p><div id=list>none</div><script>
         save.onclick = () => { said.textContent = 'Saving…'; setTimeout(() => { said.textContent = 'Saved'; }, 700); };
         seek.onclick = () => {
           list.innerHTML = '<i aria-busy=true>Searching</i>';
           setTimeout(() => { list.prepend('first hit '); }, 300);
           setTimeout(() => { list.textContent = 'first hit, second hit'; }, 800);
         };
         long.onclick = () => { said.textContent = 'Working...'; };
         more.onclick = () => { list.innerHTML = '<ul><li><a href=#>Save as…</a></ul>'; };
         </script>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    for (name, expected) in [("Save", "Saved"), ("Find", "second hit")] {
        let did = bench.act("click", json!({"name": name}));
        assert!(diff(&did).contains(expected), "{did}");
        assert!(did["notes"].to_string().contains("changed late"), "{did}");
    }
    // For a while: then the answer says so.
    let did = bench.act("click", json!({"name": "Long"}));
    assert!(diff(&did).contains("Working..."), "{did}");
    assert!(did["notes"].to_string().contains("still at work"), "{did}");
    // A menu's words are no news of work.
    let did = bench.act("click", json!({"name": "More"}));
    assert!(diff(&did).contains("Save as…"), "{did}");
    assert!(!did["notes"].to_string().contains("waited"), "{did}");
}

/// What the first answer says of a page that is not compared as a whole.
const PARTLY: &str = "changes are now reported only";

/// A table with a button in each row, and something far from it that changes as well.
fn table(rows: usize) -> String {
    format!(
        "<!doctype html><title>t</title><p id=far>far</p><table id=t></table><script>
         t.innerHTML = Array.from({{ length: {rows} }}, (_, nth) =>
           `<tr><td>Item ${{nth}}<td class=v>none<td><button>Add ${{nth}}</button>`).join('');
         t.onclick = ({{ target }}) => {{
           if (target.localName !== 'button') return;
           target.closest('tr').querySelector('.v').textContent = `taken by ${{target.textContent}}`; far.textContent = 'away';
         }};
         </script>"
    )
}

#[test]
fn changes_near_the_target_are_told_on_pages_that_are_too_slow_to_be_compared() {
    let site = Site::plan()
        .page("/", &table(1_500))
        .page("/more", &table(6_000))
        .serve();
    let mut bench = Bench::with(site);
    let check = |bench: &mut Bench| {
        let found = bench
            .mcp
            .ok("browser_find", json!({"text": "Add 7", "limit": 1}));
        let reference = found["matches"][0]["ref"].clone();
        let did = bench.act("click", json!({"ref": reference}));
        assert!(diff(&did).contains("taken by Add 7"), "{did}");
        assert_eq!(diff(&did).matches("taken by Add 7").count(), 1, "{did}");
        let told = did["notes"].to_string().contains(PARTLY);
        // A fast machine compares all of it.
        assert!(told || diff(&did).contains("away"), "{did}");
        told
    };
    bench.mcp.ok("browser_snapshot", json!({"limit": 5}));
    if check(&mut bench) {
        // Then all of it is compared again, as the note says, unless that takes too long as well.
        bench.page("far.textContent = 'back'; 0");
        let all = json!({"mode": "full", "limit": 5});
        bench.mcp.ok("browser_snapshot", all);
        let did = bench.act("click", json!({"name": "Add 9"}));
        let partly = did["notes"].to_string().contains(PARTLY);
        assert!(partly || diff(&did).contains("away"), "{did}");
        assert!(diff(&did).contains("taken by Add 9"), "{did}");
    }
    bench.go("/more");
    bench.mcp.ok("browser_snapshot", json!({"limit": 5}));
    assert!(check(&mut bench));
    let steps = json!([{"tool": "browser_act", "input": {"name": "Add 8"}}]);
    let did = bench.mcp.ok("browser_batch", json!({"steps": steps}));
    assert!(diff(&did).contains("taken by Add 8"), "{did}");
}
