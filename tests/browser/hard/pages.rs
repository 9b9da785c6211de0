//! Pages as frameworks build them.

use std::sync::Mutex;
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use crate::harness::{Answer, Lease, Mcp, Site};

struct Page {
    mcp: Mcp,
    _env: Lease,
    site: Site,
}

impl Page {
    fn open(html: &str) -> Self {
        Self::of(Site::of(html))
    }

    fn of(site: Site) -> Self {
        let env = Lease::take();
        let mut mcp = env.mcp();
        mcp.ok(
            "session_open",
            json!({"session": "work", "url": site.url("/"), "viewport": "1000x700"}),
        );
        Self {
            mcp,
            _env: env,
            site,
        }
    }

    fn snapshot(&mut self) -> String {
        let taken = self.mcp.ok("browser_snapshot", json!({}));
        taken["snapshot"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn reference(&mut self, words: &str) -> String {
        let seen = self.snapshot();
        let line = seen.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("{words}: {seen}"));
        line.split(['[', ']']).nth(1).unwrap().to_owned()
    }

    #[track_caller]
    fn act(&mut self, kind: &str, mut rest: Value) -> Value {
        rest["kind"] = json!(kind);
        self.mcp.ok("browser_act", rest)
    }

    fn main(&mut self, code: &str) -> Value {
        let asked = json!({"world": "main", "code": code});
        self.mcp.ok("browser_run_code", asked)["value"].clone()
    }
}

/// Nodes that stay keep their refs, new ones get new refs, and a node that now shows another entry is
/// not taken for the old one.
#[test]
fn lists_that_are_rendered_again() {
    let mut page = Page::open(
        "<ul id=list></ul><script>
         let rows = ['Ann', 'Bob', 'Cid'], picked = [];
         const keyed = new Map();
         const draw = (how) => {
           if (how === 'keyed') {
             for (const name of rows) if (!keyed.has(name)) {
               const row = document.createElement('li');
               row.innerHTML = `<button>${name}</button>`;
               row.firstChild.onclick = () => picked.push(name);
               keyed.set(name, row);
             }
             list.replaceChildren(...rows.map((name) => keyed.get(name)));
           } else {
             // As without keys: the nodes stay and show something else.
             rows.forEach((name, at) => {
               const button = list.children[at].firstChild;
               button.textContent = name;
               button.onclick = () => picked.push(name);
             });
           }
         };
         draw('keyed');
         </script>",
    );
    let bob = page.reference("\"Bob\"");
    page.main("rows = ['Dan', 'Cid', 'Bob']; draw('keyed'); 0");
    page.act("click", json!({"ref": bob}));
    assert_eq!(
        page.main("picked"),
        json!(["Bob"]),
        "it moved, and is the same"
    );
    assert_eq!(page.reference("\"Bob\""), bob);
    page.main("rows = ['Eve', 'Bob', 'Cid']; draw('in place'); 0");
    let failure = page.mcp.fails(
        "browser_act",
        json!({"kind": "click", "ref": bob}),
        "REF_STALE",
    );
    let said = failure["message"].as_str().unwrap();
    assert!(
        said.contains("\"Bob\"") && said.contains("\"Cid\""),
        "{said}"
    );
    let now = page.reference("\"Bob\"");
    assert_ne!(now, bob);
    page.act("click", json!({"ref": now}));
    assert_eq!(page.main("picked"), json!(["Bob", "Bob"]));
}

/// Of 10,000 rows only those in view exist.
#[test]
fn lists_that_make_rows_as_they_scroll() {
    let mut page = Page::open(
        "<div id=box style='height: 300px; width: 300px; overflow: auto' tabindex=0><div id=all style='height: 300000px; position: relative'></div></div><script>
         const picked = [];
         const draw = () => {
           const from = Math.floor(box.scrollTop / 30);
           all.replaceChildren(...Array.from({length: 12}, (_, at) => {
             const row = document.createElement('button');
             row.textContent = 'Row ' + (from + at);
             row.style.cssText = `position: absolute; top: ${(from + at) * 30}px; height: 30px`;
             row.onclick = () => picked.push(row.textContent);
             return row;
           }));
         };
         box.onscroll = draw;
         draw();
         </script>",
    );
    assert!(page.snapshot().contains("\"Row 3\""));
    assert!(!page.snapshot().contains("\"Row 200\""));
    let old = page.reference("\"Row 3\"");
    page.act("scroll", json!({"selector": "#box", "dy": 6000}));
    let row = page.reference("\"Row 203\"");
    page.act("click", json!({"ref": row}));
    assert_eq!(page.main("picked"), json!(["Row 203"]));
    page.mcp.fails(
        "browser_act",
        json!({"kind": "click", "ref": old}),
        "REF_STALE",
    );
}

/// A menu at the end of the document for a button at its beginning, which any click outside closes.
#[test]
fn portals_and_custom_elements() {
    let mut page = Page::open(
        "<style>x-menu { position: absolute; top: 60px; left: 10px }</style><button id=options aria-haspopup=menu>Options</button><p id=out></p><script>
         customElements.define('x-item', class extends HTMLElement {
           constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot></button>'; }
         });
         customElements.define('x-menu', class extends HTMLElement {
           connectedCallback() {
             this.attachShadow({mode: 'closed'}).innerHTML = '<div role=menu><slot></slot></div>';
             this.innerHTML = '<x-item>Copy</x-item><x-item>Remove</x-item>';
             this.onclick = (event) => { out.textContent = event.target.textContent; this.remove(); };
           }
         });
         options.onclick = (event) => { event.stopPropagation(); document.body.append(document.createElement('x-menu')); };
         document.onclick = (event) => { if (!event.target.closest('x-menu')) document.querySelector('x-menu')?.remove(); };
         </script>",
    );
    page.snapshot();
    let did = page.act("click", json!({"selector": "#options"}));
    let diff = did["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("\"Remove\""), "{did}");
    let line = diff
        .lines()
        .find(|line| line.contains("\"Remove\""))
        .unwrap();
    let remove = line.split(['[', ']']).nth(1).unwrap().to_owned();
    page.act("click", json!({"ref": remove}));
    assert_eq!(page.main("out.textContent"), "Remove");
    page.mcp.fails(
        "browser_act",
        json!({"kind": "click", "ref": remove}),
        "REF_STALE",
    );
}

/// Something fixed on the screen is no obstacle if there is room beside it, and is named if there is
/// none.
#[test]
fn headers_that_stay_things_that_move_and_things_in_front() {
    let mut page = Page::open(
        "<style>body { margin: 0; height: 4000px } header { position: sticky; top: 0; height: 300px; background: #eee; z-index: 5 }
           #low { position: absolute; top: 2000px } #slides { position: absolute; top: 320px; animation: slide 0.6s ease-out both }
           @keyframes slide { from { left: 600px } to { left: 20px } } #forever { position: absolute; top: 400px; animation: turn 1s linear infinite }
           @keyframes turn { to { left: 500px } } #under { position: absolute; top: 500px } #veil { position: fixed; inset: 300px 0 0 0; background: #0003; z-index: 9 }</style>
         <header>stays</header><button id=low>Low</button><button id=slides>Slides</button><button id=forever>Forever</button>
         <button id=off disabled style='position: absolute; top: 440px'>Off</button><button id=under>Under</button>
         <script>clicks = []; addEventListener('click', (event) => clicks.push(event.target.id))</script>",
    );
    let slides = page.reference("\"Slides\"");
    page.act("click", json!({"ref": slides}));
    let low = page.reference("\"Low\"");
    page.act("click", json!({"ref": low}));
    assert_eq!(page.main("clicks"), json!(["slides", "low"]));
    page.main(
        "scrollTo(0, 0); document.body.insertAdjacentHTML('beforeend', '<div id=veil></div>'); 0",
    );
    for (words, code) in [
        ("\"Off\"", "NOT_ACTIONABLE"),
        ("\"Under\"", "CLICK_INTERCEPTED"),
    ] {
        let target = page.reference(words);
        let input = json!({"kind": "click", "ref": target});
        let failure = page.mcp.fails("browser_act", input, code);
        assert_eq!(failure["effect"], "none", "{failure}");
    }
    assert_eq!(page.main("clicks"), json!(["slides", "low"]));
    // A target that never stands still is either hit, or the answer says that it was not.
    let target = page.reference("\"Forever\"");
    let told = page
        .mcp
        .call("browser_act", json!({"kind": "click", "ref": target}));
    let clicked = page.main("clicks.includes('forever')");
    assert_eq!(json!(told["isError"] == false), clicked, "{told:#}");
}

/// Pages that are late, empty or never finish loading do not hold a call beyond its time budget.
#[test]
fn slow_empty_and_endless_pages() {
    let (came, comes) = channel();
    let (release, released) = channel();
    let released = Mutex::new(released);
    let site = Site::plan()
        .page(
            "/",
            "<title>start</title><a href=/empty>Empty</a><a href=/slow>Slow</a><a href=/endless>Endless</a>",
        )
        .on("/empty", |_| Answer::status(204))
        .on("/slow", move |_| {
            came.send(()).unwrap();
            released.lock().unwrap().recv().unwrap();
            Answer::html("<title>slow</title><p>at last")
        })
        .page(
            "/endless",
            "<title>endless</title><button id=go onclick='this.textContent = 1'>Go</button><p id=p></p><script>
             setInterval(() => p.textContent = performance.now(), 5);
             const ask = () => fetch('/data').then(ask);
             ask();
             </script>",
        )
        .page("/data", "data")
        .serve();
    let mut page = Page::of(site);
    let target = page.reference("\"Empty\"");
    let began = std::time::Instant::now();
    let did = page.act("click", json!({"ref": target}));
    assert_eq!(did["navigation"]["state"], "ended", "{did}");
    assert!(began.elapsed().as_secs() < 10);
    // The page is the same, and so are its refs.
    let target = page.reference("\"Slow\"");
    let click = json!({"kind": "click", "ref": target});
    let clicked = page.mcp.post("browser_act", click);
    comes.recv().unwrap();
    release.send(()).unwrap();
    let did = page.mcp.answer(clicked)["result"]["structuredContent"].clone();
    assert_eq!(did["navigation"]["state"], "arrived", "{did}");
    assert_eq!(page.main("document.title"), "slow");
    let url = page.site.url("/");
    page.mcp.ok("browser_navigate", json!({"url": url}));
    let target = page.reference("\"Endless\"");
    page.act("click", json!({"ref": target}));
    let began = std::time::Instant::now();
    let target = page.reference("\"Go\"");
    let did = page.act("click", json!({"ref": target}));
    assert_eq!(page.main("go.textContent"), "1", "{did}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}
