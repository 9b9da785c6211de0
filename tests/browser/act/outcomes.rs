//! An act reports what really happened.

use serde_json::{Value, json};

use super::{Bench, input};
use crate::harness::{Answer, Site};

const PAGE: &str = r#"<!doctype html><title>start</title>
<button id=nothing>Nothing</button>
<button id=text onclick="this.textContent += '!'">Text</button>
<button id=later onclick="fetch('/data').then(r => r.text()).then(t => out.textContent = t)">Later</button>
<a id=link href=/next>Next</a> <a id=part href=#part>Part</a> <a id=blank href=/next target=_blank>Blank</a>
<a id=file href=/file>File</a> <a id=empty href=/empty>Empty</a>
<button id=popup onclick="window.open('/next')">Popup</button>
<button id=alert onclick="alert('Hello'); this.textContent = 'alerted'">Alert</button>
<button id=ask onclick="out.textContent = confirm('Sure?')">Ask</button>
<button id=prompt onclick="out.textContent = prompt('Name?')">Prompt</button>
<button id=shut onclick="window.close()">Close</button>
<form action=/next><input id=field><button id=send>Send</button></form>
<p id=out></p>"#;

fn site() -> Site {
    Site::plan()
        .page("/", PAGE)
        .page(
            "/next",
            "<title>next</title><button id=shut onclick='window.close()'>Close</button>",
        )
        .page("/data", "the data")
        .on("/empty", |_| Answer::status(204))
        .on("/file", |_| {
            Answer::html("data").header("content-disposition", "attachment; filename=data.txt")
        })
        .serve()
}

#[test]
fn changes_and_their_absence() {
    let mut bench = Bench::with(site());
    // That the target of a click gets the focus is no effect.
    let did = bench.mcp.call(
        "browser_act",
        json!({"kind": "click", "selector": "#nothing"}),
    );
    assert_eq!(did["structuredContent"]["changed"], false, "{did:#}");
    assert!(
        did["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("nothing changed"),
        "{did:#}"
    );
    let did = bench.act("click", json!({"selector": "#text"}));
    assert_eq!(did["changed"], true, "{did}");
    let did = bench.act("click", json!({"selector": "#later"}));
    assert_eq!(
        (&did["requests"], bench.page("out.textContent")),
        (&json!(1), json!("the data")),
        "it was waited for: {did}"
    );
    let did = bench.act("click", json!({"selector": "#part"}));
    assert_eq!(did["navigation"]["state"], "within", "{did}");
}

/// Such an address runs after the click, and the page is quiet before the browser begins to go back.
#[test]
fn a_javascript_address_that_goes_back_says_where_it_led() {
    let back = "<title>back</title><a href='javascript:history.back()'>Back</a>";
    let mut bench = Bench::with(Site::plan().page("/", PAGE).page("/back", back).serve());
    for _ in 0..6 {
        bench.go("/back");
        let did = bench.act("click", json!({"selector": "a"}));
        assert_eq!(did["navigation"]["state"], "arrived", "{did}");
        assert_eq!(did["navigation"]["url"], bench.site.url("/"), "{did}");
    }
}

#[test]
fn navigations_tabs_and_downloads() {
    let mut bench = Bench::with(site());
    for (target, state) in [
        ("#link", "arrived"),
        ("#send", "arrived"),
        ("#empty", "ended"),
    ] {
        bench.go("/");
        let did = bench.act("click", json!({"selector": target}));
        assert_eq!(did["navigation"]["state"], state, "{target}: {did}");
        if state == "arrived" {
            assert_eq!(bench.page("document.title"), "next", "{target}");
        }
    }
    bench.go("/");
    let did = bench.act("press", json!({"selector": "#field", "key": "Enter"}));
    assert_eq!(did["navigation"]["state"], "arrived", "{did}");
    bench.go("/");
    let did = bench.act("click", json!({"selector": "#file"}));
    assert_eq!(did["downloads"], json!(["data.txt"]), "{did}");
    for opener in ["#popup", "#blank"] {
        let did = bench.act("click", json!({"selector": opener}));
        let tabs = did["new_tabs"]
            .as_array()
            .unwrap_or_else(|| panic!("{opener}: {did}"));
        assert_eq!(tabs.len(), 1, "{did}");
        let tab = tabs[0].clone();
        bench.mcp.ok(
            "browser_act",
            json!({"kind": "wait", "tab": tab, "url": "/next"}),
        );
        let title = json!({"tab": tab, "code": "document.title"});
        assert_eq!(
            bench.mcp.ok("browser_run_code", title)["value"],
            "next",
            "{opener}"
        );
        let still = bench.act("hover", json!({"selector": "#text", "tab": did["tab"]}));
        assert_eq!(still["tab"], did["tab"]);
    }
    let here = bench.act("hover", json!({"selector": "#text"}))["tab"].clone();
    let mut popup = || {
        let did = bench.act("click", json!({"selector": "#popup", "tab": here}));
        let tab = did["new_tabs"][0].clone();
        let there = json!({"kind": "wait", "tab": tab, "url": "/next"});
        bench.mcp.ok("browser_act", there);
        tab
    };
    let tab = [popup(), popup()];
    let closed = bench.act("click", json!({"selector": "#shut", "tab": tab[0]}));
    assert_eq!(closed["closed"], true, "{closed}");
    // No page has got a file by that.
    let file = bench.env.work().join("a.txt");
    std::fs::write(&file, "a").unwrap();
    let asked = json!({"selector": "#shut", "tab": tab[1], "paths": [file]});
    bench.fails("upload", asked, "NOT_FOUND");
}

#[test]
fn dialogs_are_answered_and_told() {
    let mut bench = Bench::with(site());
    let first = |did: &Value| {
        let dialog = &did["dialogs"][0];
        (dialog["kind"].clone(), dialog["accepted"].clone())
    };
    let did = bench.act("click", json!({"selector": "#alert"}));
    assert_eq!(first(&did), (json!("alert"), json!(true)), "{did}");
    assert_eq!(did["dialogs"][0]["message"], "Hello");
    let did = bench.act("click", json!({"selector": "#ask", "dialog": "dismiss"}));
    assert_eq!(first(&did), (json!("confirm"), json!(false)), "{did}");
    assert_eq!(bench.page("out.textContent"), "false");
    let did = bench.act("click", json!({"selector": "#ask", "dialog": "accept"}));
    assert_eq!(
        (first(&did).1, bench.page("out.textContent")),
        (json!(true), json!("true"))
    );
    bench.act(
        "click",
        json!({"selector": "#prompt", "dialog_text": "Jane"}),
    );
    assert_eq!(bench.page("out.textContent"), "Jane");
}

/// After a snapshot, the caller hears what in it has changed.
#[test]
fn what_changes_in_the_snapshot_is_told() {
    let mut bench = Bench::of(
        "<!doctype html><title>start</title><main><button id=more onclick=\"list.insertAdjacentHTML('beforeend', '<li><button>Row ' + list.children.length + '</button>'); gone.hidden = true\">More</button>
         <ul id=list></ul><button id=gone>Gone</button></main>
         <button id=many onclick=\"list.innerHTML = '<li><button>Row</button>'.repeat(200)\">Many</button>
         <button id=idle>Idle</button><input aria-label=Name>",
    );
    let did = bench.act("click", json!({"selector": "#more"}));
    assert_eq!(did["diff"], json!(null), "nobody has a snapshot: {did}");
    let taken = bench.mcp.ok("browser_snapshot", json!({}));
    assert!(taken["snapshot"].as_str().unwrap().contains("Row 0"));
    bench.page("gone.hidden = false; 0");
    bench.mcp.ok("browser_snapshot", json!({}));
    let called = input("click", json!({"selector": "#more"}));
    let told = bench.mcp.call("browser_act", called);
    let diff = told["structuredContent"]["diff"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(diff.contains("- button \"Row 1\" [e"), "{diff}");
    assert!(diff.contains("-   - button \"Gone\" [e"), "{diff}");
    assert!(!diff.contains("Row 0"), "{diff}");
    assert!(told["content"][0]["text"].as_str().unwrap().contains(&diff));
    // Its refs work, and each change is reported once.
    let (_, row) = diff.split_once("\"Row 1\" [").unwrap();
    let row = row.split_once(']').unwrap().0.to_owned();
    let did = bench.act("focus", json!({"ref": row}));
    assert_eq!(did["diff"], json!(null), "{did}");
    let did = bench.act("fill", json!({"selector": "input", "text": "Jane"}));
    assert!(did["diff"].as_str().unwrap().ends_with(": Jane"), "{did}");
    // More is asked for than fits.
    let did = bench.act("click", json!({"selector": "#many"}));
    let diff = did["diff"].as_str().unwrap().to_owned();
    assert!(diff.len() < 5_000 && diff.contains("more lines"), "{diff}");
    let all = bench.mcp.ok("browser_snapshot", json!({"diff": true}));
    let rest = all["snapshot"].as_str().unwrap().matches("button \"Row\"");
    assert_eq!(rest.count() + diff.matches("button \"Row\"").count(), 200);
    let did = bench.act("click", json!({"selector": "#idle"}));
    assert_eq!(did["diff"], json!(null), "{did}");
}

/// Overflow is reported once; after that each act reports its own changes.
#[test]
fn an_act_tells_its_own_changes_after_one_that_changed_too_much() {
    let mut bench = Bench::of(
        "<ul id=list></ul><button id=many onclick=\"list.innerHTML = '<li><button>Row</button>'.repeat(200)\">Many</button>
         <button id=one onclick=\"this.textContent += '!'\">One</button>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    bench.act("click", json!({"selector": "#many"}));
    for name in ["One!\"", "One!!\""] {
        let did = bench.act("click", json!({"selector": "#one"}));
        let diff = did["diff"].as_str().unwrap();
        assert!(diff.contains(name) && !diff.contains("Row"), "{diff}");
    }
    let all = bench.mcp.ok("browser_snapshot", json!({"diff": true}));
    let all = all["snapshot"].as_str().unwrap();
    assert!(all.contains("Row") && !all.contains("One!!"), "{all}");
    // For another document no lines are compared, which is also reported once.
    bench.page("setTimeout(() => { location.href = '/?moved' }, 0); 0");
    let did = bench.act("wait", json!({"url": "moved"}));
    assert!(
        did["diff"].as_str().unwrap().contains("another document"),
        "{did}"
    );
    // Not at all if the caller was told by the answer that led there.
    bench.go("/");
    let did = bench.act("click", json!({"selector": "#one"}));
    assert_eq!(did["diff"], json!(null), "{did}");
    let did = bench.act("click", json!({"selector": "#one"}));
    let diff = did["diff"].as_str().unwrap();
    assert!(diff.contains("One!!") && diff.lines().count() < 5, "{diff}");
}

/// Where nobody is, a page that prints is not held up.
#[test]
fn a_page_that_prints_goes_on() {
    let mut bench = Bench::of(
        "<!doctype html><title>t</title><button onclick=\"print(); out.textContent = 'printed'\">Print</button><p id=out>-</p>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    let did = bench.act("click", json!({"name": "Print"}));
    let notes = did["notes"].to_string();
    assert!(notes.contains("print dialog"), "{did}");
    let diff = did["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("printed"), "{did}");
    let tabs = bench.mcp.ok("browser_tabs", json!({}));
    assert_eq!(tabs["tabs"].as_array().unwrap().len(), 1, "{tabs}");
}

/// Chromium's prompt about another program takes all input of its tab until it is answered, which nobody can.
#[test]
fn a_link_to_another_program_leaves_the_page_alive() {
    let mut bench = Bench::of(
        "<!doctype html><a id=tel href='tel:+123'>Tel</a> <a id=own href='foo:bar'>Own</a>
        <button id=slack onclick=\"location = 'slack://x/y'\">Slack</button>
        <iframe srcdoc='<a id=inner href=&quot;foo:frame&quot;>Inner</a>'></iframe>
        <button id=count onclick='this.textContent = ++n'>0</button><script>var n = 0</script>",
    );
    let targets = [
        json!({"selector": "#tel"}),
        json!({"selector": "#own"}),
        json!({"selector": "#slack"}),
        json!({"name": "Inner"}),
    ];
    for (count, target) in (0..).step_by(2).zip(targets) {
        let told = bench.mcp.call("browser_act", input("click", target));
        let text = told["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("is for another program"), "{text}");
        for more in 1..=2 {
            bench.act("click", json!({"selector": "#count"}));
            assert_eq!(bench.page("n"), count + more, "{text}");
        }
    }
    assert_eq!(bench.page("n"), 8);
}

/// The text of an answer.
#[track_caller]
fn said(bench: &mut Bench, kind: &str, rest: Value) -> String {
    let did = bench.mcp.call("browser_act", input(kind, rest));
    let text = did["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{did:#}")).to_owned()
}

/// Validation changes no node, and the focus comes back to where it was.
#[test]
fn a_form_that_the_browser_does_not_send_is_no_silence() {
    let mut bench = Bench::of(
        "<!doctype html><form><input autofocus required aria-label=User id=user><button id=go>Go</button></form>
         <dialog id=box><form method=dialog><input required aria-label=Reason><button id=ok>OK</button></form></dialog>
         <x-form></x-form><form><input required aria-label=Unseen style='position: absolute; opacity: 0; pointer-events: none' id=unseen><button id=sends>Send</button></form>
         <input required aria-label=Asked id=asked oninput='this.checkValidity()'><button id=asks onclick='asked.checkValidity()'>Ask</button>
         <script>
           document.querySelector('x-form').attachShadow({ mode: 'open' }).innerHTML = '<form><input required aria-label=Deep><button id=deep>Deeper</button></form>';
         </script>",
    );
    bench.mcp.ok("browser_snapshot", json!({}));
    let refusal = "the browser refused <input#user> \"User\": \"Please fill out this field.\"";
    bench.page("user.focus()");
    let text = said(&mut bench, "click", json!({"selector": "#go"}));
    assert!(text.contains(refusal), "{text}");
    assert!(!text.contains("nothing changed"), "{text}");
    assert!(text.contains("textbox \"User\""), "the diff: {text}");
    bench.page("user.focus()");
    let text = said(
        &mut bench,
        "press",
        json!({"selector": "#user", "key": "Enter"}),
    );
    assert!(text.contains(refusal), "{text}");
    let text = said(&mut bench, "click", json!({"selector": "x-form >> #deep"}));
    assert!(text.contains("refused <input> \"Deep\""), "{text}");
    bench.page("unseen.hidden = true");
    let text = said(&mut bench, "click", json!({"selector": "#sends"}));
    assert!(text.contains("refused <input#unseen> \"Unseen\""), "{text}");
    bench.page("box.showModal()");
    let text = said(&mut bench, "click", json!({"selector": "#ok"}));
    assert!(text.contains("refused <input> \"Reason\""), "{text}");
    // A page that asks its fields by itself refuses nothing.
    bench.page("box.close()");
    let text = said(&mut bench, "click", json!({"selector": "#asks"}));
    assert!(!text.contains("refused"), "{text}");
    let fill = json!({"selector": "#asked", "text": ""});
    bench.act("fill", json!({"selector": "#asked", "text": "a"}));
    let text = said(&mut bench, "fill", fill);
    assert!(!text.contains("refused"), "{text}");
}
