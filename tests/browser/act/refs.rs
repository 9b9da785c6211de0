//! Refs of snapshots as targets: in every kind of frame and tree, and no longer than they are valid.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Bench;
use crate::harness::{Answer, Site, SiteRequest};

/// A button that shows in the tree that it was clicked, and a field.
fn parts(name: &str) -> String {
    format!(
        "<button aria-pressed=false onclick=\"this.setAttribute('aria-pressed', 'true')\">Press {name}</button>
         <input aria-label='Field {name}'>"
    )
}

/// All the places with a button and a field.
const PLACES: [&str; 8] = [
    "page", "near", "far", "deep", "back", "open", "closed", "inner",
];

fn site() -> Site {
    let [page, open, closed, inner] =
        ["page", "open", "closed", "inner"].map(|name| json!(parts(name)).to_string());
    let page = format!(
        "<!doctype html><title>start</title><body style='margin: 20px; height: 4000px'><p id=top></p>
         <iframe title=Near src=/near style='width: 500px; height: 60px'></iframe>
         <div id=open></div><div id=closed></div>
         <iframe title=Far src='FAR' style='position: absolute; left: 20px; top: 1500px; width: 600px; height: 300px; border: 7px solid; padding: 5px'></iframe>
         <script>{{
           const tree = (host, mode, html) => {{
             const root = host.attachShadow({{mode}});
             root.innerHTML = html + '<p></p>';
             return root;
           }};
           document.querySelector('#top').outerHTML = {page};
           tree(document.querySelector('#open'), 'open', {open});
           const sealed = tree(document.querySelector('#closed'), 'closed', {closed});
           tree(sealed.querySelector('p'), 'open', {inner});
         }}</script>"
    );
    Site::plan()
        .on("/", move |asked| {
            let port = port(asked);
            Answer::html(page.replace("FAR", &format!("http://localhost:{port}/far")))
        })
        .page("/near", &parts("near"))
        .on("/far", |asked| {
            let port = port(asked);
            Answer::html(format!(
                "<body style='height: 1200px'>{}<iframe title=Deep src=/deep style='position: absolute; top: 700px'></iframe>
                 <iframe title=Back src='http://127.0.0.1:{port}/back'></iframe>",
                parts("far")
            ))
        })
        .page("/deep", &parts("deep"))
        .page("/back", &parts("back"))
        .page("/next", "<title>next</title><button>Press page</button>")
        .serve()
}

fn port(asked: &SiteRequest) -> String {
    let host = asked.header("host");
    host.rsplit(':').next().unwrap_or_default().to_owned()
}

fn snapshot(bench: &mut Bench) -> String {
    let taken = bench.mcp.ok("browser_snapshot", json!({}));
    taken["snapshot"].as_str().unwrap().to_owned()
}

/// The ref in the line that contains these words.
#[track_caller]
fn reference(snapshot: &str, words: &str) -> String {
    let mut fits = snapshot.lines().filter(|line| line.contains(words));
    let line = fits.next().unwrap_or_else(|| panic!("{words}: {snapshot}"));
    assert!(fits.next().is_none(), "{words}: {snapshot}");
    let (_, rest) = line.split_once("[e").expect("it has a ref");
    format!("e{}", rest.split_once(']').unwrap().0)
}

fn message(failure: &Value) -> &str {
    failure["message"].as_str().unwrap_or_default()
}

#[test]
fn every_node_of_a_snapshot_can_be_worked() {
    let mut bench = Bench::with(site());
    let before = snapshot(&mut bench);
    let refs: BTreeMap<&str, (String, String)> = PLACES
        .iter()
        .map(|place| {
            let button = reference(&before, &format!("\"Press {place}\""));
            (
                *place,
                (button, reference(&before, &format!("\"Field {place}\""))),
            )
        })
        .collect();
    for (place, (button, field)) in &refs {
        let did = bench.act("click", json!({"ref": button}));
        assert_eq!(did["changed"], true, "{place}: {did}");
        let did = bench.act("fill", json!({"ref": field, "text": format!("in {place}")}));
        assert_eq!(did["value"], format!("in {place}"), "{place}: {did}");
        let did = bench.act("type", json!({"text": "!"}));
        assert_eq!(
            did["value"],
            format!("in {place}!"),
            "the focus is there: {did}"
        );
    }
    let after = snapshot(&mut bench);
    for (place, (button, field)) in &refs {
        let pressed = format!("button \"Press {place}\" [{button}] pressed");
        assert!(after.contains(&pressed), "{pressed}: {after}");
        let filled = format!("textbox \"Field {place}\" [{field}]: in {place}!");
        assert!(after.contains(&filled), "{filled}: {after}");
    }
}

#[test]
fn the_command_line_takes_refs_too() {
    let mut bench = Bench::with(site());
    let shown = bench.env.szk(["snapshot", "-s", "work"]).ok().stdout;
    let (button, field) = (
        reference(&shown, "\"Press deep\""),
        reference(&shown, "\"Field closed\""),
    );
    bench.env.szk(["act", "click", &button, "-s", "work"]).ok();
    let told = bench
        .env
        .szk(["act", "fill", &field, "by hand", "-s", "work"])
        .ok();
    assert!(told.stdout.contains("value: by hand"), "{}", told.stdout);
    let after = snapshot(&mut bench);
    assert!(
        after.contains(&format!("\"Press deep\" [{button}] pressed")),
        "{after}"
    );
    bench.go("/next");
    let failure = bench
        .env
        .szk(["act", "click", &button, "-s", "work"])
        .fails("REF_STALE");
    assert!(
        message(&failure).contains("button \"Press deep\""),
        "{failure}"
    );
}

#[test]
fn all_kinds_take_refs() {
    let mut bench = Bench::of(
        "<!doctype html><body style='height: 3000px'><select aria-label=Size><option>S<option>L</select>
         <input type=checkbox aria-label=Box><input type=file aria-label=File>
         <button id=from onpointerdown='from.dataset.down = 1'>From</button> <button id=to onpointerup='to.dataset.up = 1'>To</button>
         <input aria-label=Soon disabled id=soon><button id=busy>Busy</button>
         <a href='#x' style='position: absolute; top: 2500px'>Low</a>",
    );
    let seen = snapshot(&mut bench);
    let of = |words: &str| reference(&seen, words);
    let did = bench.act("select", json!({"ref": of("\"Size\""), "values": ["L"]}));
    assert_eq!(did["value"], "L", "{did}");
    bench.act("check", json!({"ref": of("\"Box\"")}));
    assert_eq!(
        bench.page("document.querySelector('[type=checkbox]').checked"),
        true
    );
    let file = bench.env.work().join("a.txt");
    std::fs::write(&file, "a").unwrap();
    let did = bench.act("upload", json!({"ref": of("\"File\""), "paths": [file]}));
    assert_eq!(did["value"], "a.txt", "{did}");
    bench.act("drag", json!({"ref": of("\"From\""), "to": of("\"To\"")}));
    assert_eq!(
        bench.page("[from.dataset.down, to.dataset.up]"),
        json!(["1", "1"])
    );
    bench.act("hover", json!({"ref": of("\"From\"")}));
    assert_eq!(bench.page("from.matches(':hover')"), true);
    bench.act("focus", json!({"ref": of("\"To\"")}));
    assert_eq!(bench.page("document.activeElement.id"), "to");
    let did = bench.act("press", json!({"ref": of("\"Box\""), "key": "Space"}));
    assert_eq!(
        bench.page("document.querySelector('[type=checkbox]').checked"),
        false,
        "{did}"
    );
    bench.act("scroll", json!({"ref": of("\"Low\"")}));
    assert!(bench.page("scrollY").as_f64().unwrap() > 1000.0);
    // For waits, too.
    let soon = of("\"Soon\"");
    bench.page("setTimeout(() => { soon.disabled = false }, 200); 0");
    bench.act("wait", json!({"ref": soon, "state": "enabled"}));
    let busy = of("\"Busy\"");
    bench.act("wait", json!({"ref": busy}));
    bench.page("setTimeout(() => busy.remove(), 200); 0");
    bench.act("wait", json!({"ref": busy, "state": "detached"}));
    bench.act("wait", json!({"ref": busy, "state": "hidden"}));
    let failure = bench.fails("wait", json!({"ref": busy}), "REF_STALE");
    assert!(message(&failure).contains("button \"Busy\""), "{failure}");
}

#[test]
fn what_find_found_can_be_worked() {
    let mut bench = Bench::with(site());
    let found = bench.mcp.ok("browser_find", json!({"text": "press far"}));
    let target = found["matches"][0]["ref"].clone();
    bench.act("click", json!({"ref": target}));
    let after = snapshot(&mut bench);
    assert!(
        after.contains(&format!(
            "\"Press far\" [{}] pressed",
            target.as_str().unwrap()
        )),
        "{after}"
    );
}

/// However a node goes away, the failure says what it was, and nothing is touched.
#[test]
fn refs_that_are_no_longer_true_fail_before_anything_is_done() {
    let mut bench = Bench::with(
        Site::plan()
            .page(
                "/",
                "<!doctype html><script>clicks = 0; addEventListener('click', () => clicks++, true)</script>
                 <div id=list><button>Buy apples</button></div><button id=gone>Leave</button><button id=other>Save</button>
                 <iframe id=frame title=Part src=/part></iframe><div id=host></div>
                 <script>host.attachShadow({mode: 'closed'}).innerHTML = '<button>Sealed</button>'</script>",
            )
            .page("/part", "<button>Inside</button>")
            .page("/next", "<title>next</title><button id=list>Buy apples</button>")
            .serve(),
    );
    let seen = snapshot(&mut bench);
    let [row, gone, other, inside, sealed] =
        ["Buy", "Leave", "Save", "Inside", "Sealed"].map(|words| reference(&seen, words));
    // Two of the same words: neither can be told from the old one.
    bench.page("list.innerHTML += list.innerHTML; gone.remove(); other.textContent = 'Delete all'; host.remove(); 0");
    let check = |bench: &mut Bench, target: &str, words: &[&str]| {
        let failure = bench.fails("click", json!({"ref": target}), "REF_STALE");
        for word in words.iter().chain(&[target]) {
            assert!(message(&failure).contains(word), "{word}: {failure}");
        }
        assert_eq!(failure["effect"], "none", "{failure}");
        assert!(
            failure["hint"]
                .as_str()
                .unwrap()
                .contains("browser_snapshot"),
            "{failure}"
        );
    };
    check(
        &mut bench,
        &row,
        &["button \"Buy apples\"", "no longer on the page"],
    );
    check(&mut bench, &gone, &["button \"Leave\""]);
    check(
        &mut bench,
        &other,
        &["button \"Save\"", "button \"Delete all\""],
    );
    check(&mut bench, &sealed, &["button \"Sealed\""]);
    bench.page("new Promise(done => { frame.onload = done; frame.src = '/part?2' }).then(() => 0)");
    check(&mut bench, &inside, &["button \"Inside\""]);
    // Both ends of a drag are checked.
    let failure = bench.fails(
        "drag",
        json!({"selector": "#other", "to": gone}),
        "REF_STALE",
    );
    assert!(message(&failure).contains("Leave"), "{failure}");
    assert_eq!(bench.page("clicks"), 0);
    bench.page("list.lastChild.remove(); 0");
    let seen = snapshot(&mut bench);
    let [row, inside] = ["Buy", "Inside"].map(|words| reference(&seen, words));
    bench.page("frame.remove(); 0");
    check(&mut bench, &inside, &["button \"Inside\""]);
    bench.go("/next");
    check(&mut bench, &row, &["button \"Buy apples\""]);
    assert_eq!(bench.page("document.title"), "next");
    let failure = bench.fails("click", json!({"ref": "e999"}), "NOT_FOUND");
    assert!(message(&failure).contains("no ref `e999`"), "{failure}");
    for wrong in ["12", "e", "button"] {
        bench.fails("click", json!({"ref": wrong}), "NOT_FOUND");
    }
    bench.fails("click", json!({"ref": ""}), "INVALID_INPUT");
}

/// Frameworks replace nodes by others that are the same to everybody: their refs go on, which is said once.
#[test]
fn a_ref_goes_on_with_a_node_of_the_same_role_name_and_place() {
    let mut bench = Bench::of(
        "<!doctype html><form aria-label=Login id=login><button type=button>Send</button></form>
         <form aria-label=Search id=search><button type=button>Send</button></form><div id=panel><button>Hide</button></div><script>
         hits = []; for (const form of [login, search]) form.onclick = () => hits.push(form.id);
         render = () => { for (const form of [login, search]) form.innerHTML = '<p>again</p><button type=button>Send</button>'; };
         </script>",
    );
    let seen = snapshot(&mut bench);
    let lines: Vec<&str> = seen.lines().filter(|line| line.contains("Send")).collect();
    let [login, search] = [lines[0], lines[1]].map(|line| reference(line, "Send"));
    let hide = reference(&seen, "Hide");
    bench.page("render(); 0");
    let did = bench.act("click", json!({"ref": search}));
    let notes = did["notes"].to_string();
    assert!(notes.contains(&format!("{login}, {search} go on")), "{did}");
    assert_eq!(bench.page("hits.join()"), "search");
    // Nothing of it is a change but the text, and it is not said again.
    assert_eq!(did["diff"].to_string().matches("again").count(), 2, "{did}");
    assert!(!did["diff"].to_string().contains("Send"), "{did}");
    let did = bench.act("click", json!({"ref": login}));
    assert!(!did["notes"].to_string().contains("go on"), "{did}");
    // What was hidden is the same when it comes back.
    bench.page("panel.hidden = true; 0");
    bench.act("click", json!({"ref": login}));
    bench.page("panel.hidden = false; 0");
    bench.act("click", json!({"ref": hide}));
    let again = snapshot(&mut bench);
    assert_eq!(reference(&again, "Hide"), hide);
}

/// Back and forward lead to the same page, and the refs of it are good again: a page that waited in the
/// back/forward cache has the same nodes, and one that is loaded anew takes over what it has again.
#[test]
fn refs_live_through_history() {
    let page = |script: &str| {
        format!(
            "<!doctype html><title>shop</title><form aria-label=Cart><button type=button>Buy</button></form>
             <button>Twice</button><button>Twice</button><p>Words</p><iframe title=Part src=/part></iframe>
             <script>hits = []; onclick = event => hits.push(event.target.textContent); {script}</script>"
        )
    };
    // A page that listens for its end does not wait in the cache. What a script adds comes late.
    let anew = page(
        "addEventListener('unload', () => {});
         setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button>Late</button>'), 300)",
    );
    let mut bench = Bench::with(
        Site::plan()
            .page("/", &page(""))
            .page("/anew", &anew)
            .page(
                "/part",
                "<button onclick=\"parent.hits.push('part')\">Inside</button>",
            )
            .page("/next", "<title>next</title><button>Buy</button>")
            .serve(),
    );
    let back = |bench: &mut Bench| bench.mcp.ok("browser_navigate", json!({"history": "back"}));
    let seen = snapshot(&mut bench);
    let twice = |seen: &str| {
        reference(
            seen.lines().find(|line| line.contains("Twice")).unwrap(),
            "Twice",
        )
    };
    let [buy, inside] = ["Buy", "Inside"].map(|words| reference(&seen, words));
    let first = twice(&seen);
    // A frame that a dialog puts out of reach is the same when it is closed.
    bench.page("document.body.insertAdjacentHTML('beforeend', '<dialog id=d>Wait</dialog>'); d.showModal(); 0");
    assert!(!snapshot(&mut bench).contains("Inside"));
    bench.page("d.remove(); 0");
    assert_eq!(snapshot(&mut bench), seen);
    // What acts know of the page must not be taken for anything else when it comes back.
    bench.act("hover", json!({"ref": buy}));
    bench.go("/next");
    // Another page's button of that name is another.
    bench.fails("click", json!({"ref": buy}), "REF_STALE");
    assert_eq!(back(&mut bench)["loaded"], false);
    bench.act("wait", json!({"ref": first}));
    for target in [&buy, &first, &inside] {
        let did = bench.act("click", json!({"ref": target}));
        assert!(!did["notes"].to_string().contains("go on"), "{did}");
    }
    assert_eq!(bench.page("hits.join()"), "Buy,Twice,part");
    assert_eq!(snapshot(&mut bench), seen);

    bench.go("/anew");
    bench.act("wait", json!({"text": "Late"}));
    let seen = snapshot(&mut bench);
    let [buy, late, inside] = ["Buy", "Late", "Inside"].map(|words| reference(&seen, words));
    let first = twice(&seen);
    bench.go("/next");
    snapshot(&mut bench);
    assert_eq!(back(&mut bench)["loaded"], true);
    let did = bench.act("click", json!({"ref": buy}));
    let notes = did["notes"].to_string();
    assert!(
        notes.contains("loaded anew") && notes.contains(&buy),
        "{did}"
    );
    // Neither of two can be told from the other.
    let failure = bench.fails("click", json!({"ref": first}), "REF_STALE");
    assert!(message(&failure).contains("button \"Twice\""), "{failure}");
    bench.act("wait", json!({"text": "Late"}));
    bench.act("click", json!({"ref": late}));
    bench.act("click", json!({"ref": inside}));
    assert_eq!(bench.page("hits.join()"), "Buy,Late,part");
    // A frame alone goes on, and back.
    let go = |code: &str| {
        format!(
            "new Promise(done => {{ const frame = document.querySelector('iframe'); frame.onload = () => done(0); {code} }})"
        )
    };
    bench.page(&go("frame.contentWindow.location.href = '/next'"));
    assert!(!snapshot(&mut bench).contains("Inside"));
    bench.page(&go("history.back()"));
    bench.act("click", json!({"ref": inside}));
    assert_eq!(bench.page("hits.join()"), "Buy,Late,part,part");
    let seen = snapshot(&mut bench);
    assert_eq!(
        [reference(&seen, "Buy"), reference(&seen, "Late")],
        [buy, late]
    );
}

/// Focus is found even in a closed tree that no one has looked into.
#[test]
fn what_has_the_focus_in_a_closed_tree_is_read_back() {
    let mut bench = Bench::of(
        "<!doctype html><body style='margin: 0'><div id=host></div><script>
         const tree = host.attachShadow({mode: 'closed'});
         tree.innerHTML = '<div></div>';
         tree.firstChild.attachShadow({mode: 'closed'}).innerHTML = '<input style=\"width: 200px; height: 40px\">';
         </script>",
    );
    bench.act("click", json!({"x": 50, "y": 20}));
    let did = bench.act("type", json!({"text": "typed"}));
    assert_eq!(did["value"], "typed", "{did}");
    assert!(did["target"].as_str().unwrap().contains("input"), "{did}");
    bench.act("press", json!({"key": "Backspace"}));
    let did = bench.act("type", json!({"text": "!"}));
    assert_eq!(did["value"], "type!", "{did}");
}

/// A list that is rebuilt while the pointer is on its way: the ref does not slip to the new node.
#[test]
fn a_node_that_is_replaced_under_the_pointer_is_not_another() {
    let mut bench = Bench::of(
        "<!doctype html><div id=list><button>Row</button></div><script>
         clicks = 0; list.addEventListener('click', () => clicks++);
         list.addEventListener('pointerenter', () => { list.innerHTML = '<button>Row</button>' });
         </script>",
    );
    let seen = snapshot(&mut bench);
    let row = reference(&seen, "Row");
    let failure = bench.fails("click", json!({"ref": row}), "REF_STALE");
    assert!(message(&failure).contains(&row), "{failure}");
    assert_eq!(bench.page("clicks"), 0);
}
