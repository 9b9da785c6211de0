//! `browser_snapshot`: everything that can be worked has a line, whatever it is made of.

use serde_json::json;

use crate::harness::{Lease, Site, TestEnv};

/// Listeners of every kind, drawings, and controls that nothing names.
const PAGE: &str = r##"<!doctype html><title>t</title><p>Delete the mail by Ann.</p>
<svg width=200 height=100><rect width=20 height=20 fill=red></rect><circle cx=50 cy=50 r=10 fill=blue></circle><text x=80 y=80>Jan</text><defs><rect width=9 height=9></rect></defs></svg>
<svg width=16 height=16><path d="M0 0 L9 9"></path></svg><canvas width=300 height=150></canvas>
<div class=mail>Ann <span class=star></span><span class=trash></span></div>
<ul><li>Milk <span class=add>+</span> <span class=sub>-</span></li></ul>
<div id=board><div class=cell></div><div class=cell></div><div class=cell></div></div>
<button id=next></button><button class="btn bin"><img src="/img/bin.png"></button><textarea></textarea><input type=checkbox name=ok checked>
<div draggable=true>Drag me</div><div style="cursor: grab">Grip</div>
<style>.cell, .star, .trash { display: inline-block; width: 20px; height: 20px }</style>
<script>
  for (const mail of document.querySelectorAll('.mail')) { mail.style.cursor = 'pointer'; mail.onclick = () => {}; }
  for (const icon of document.querySelectorAll('.star, .trash')) icon.addEventListener('click', () => icon.parentElement.append(icon.className));
  for (const sign of document.querySelectorAll('.add, .sub')) sign.onmousedown = () => {};
  board.onclick = document.body.onclick = document.querySelector('circle').onclick = () => {};
</script>"##;

#[test]
fn everything_that_can_be_worked_has_a_line() {
    let env = Lease::take();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let read = mcp.ok("browser_snapshot", json!({}));
    let expected = r##"
- text: Delete the mail by Ann.
- img [e1] size=200x100
  - rect [e2] fill=#ff0000 size=20x20
  - circle [e3] fill=#0000ff size=20x20 clickable
  - text "Jan" [e4]
- canvas [e5] size=300x150
- generic [e6] .mail clickable
  - text: Ann
  - generic [e7] .star clickable
  - generic [e8] .trash clickable
- text: Milk
- generic "+" [e9] clickable
- generic "-" [e10] clickable
- generic [e11] #board clickable
  - generic [e12] .cell clickable
  - generic [e13] .cell clickable
  - generic [e14] .cell clickable
- button [e15] #next
- button [e16] .btn .bin icon=bin.png
- textbox [e17] textarea
- checkbox [e18] checked name=ok
- generic "Drag me" [e19] draggable clickable
- generic "Grip" [e20] draggable clickable"##;
    assert_eq!(read["snapshot"], expected.trim_start());
    // All of them can be acted on.
    for target in ["e2", "e4", "e5", "e13", "e8"] {
        mcp.ok("browser_act", json!({"kind": "click", "ref": target}));
    }
    let trashed = mcp.ok("browser_find", json!({"text": "trash"}));
    assert!(trashed["total"].as_u64() > Some(0), "{trashed}");
}

/// Asking for listeners compiles handlers that are attributes: a broken one would report to the page.
#[test]
fn a_broken_handler_is_not_touched() {
    let env = TestEnv::new();
    let site = Site::of(
        "<script>var errors = []; onerror = (message) => errors.push(message)</script>
        <div onclick='{{'>broken</div><div id=listens>listens</div><div id=host></div><script>listens.onclick = () => {}</script>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let errors = |mcp: &mut crate::harness::Mcp, code: &str| {
        mcp.ok("browser_snapshot", json!({}));
        let code = json!({"world": "main", "code": code});
        mcp.ok("browser_run_code", code)["value"].clone()
    };
    let hide =
        "(host.attachShadow({mode: 'open'}).append(document.querySelector('div')), errors.length)";
    assert_eq!(errors(&mut mcp, hide), 0);
    assert_eq!(errors(&mut mcp, "errors.length"), 0);
    // The page would have noticed.
    let touch = "(host.shadowRoot.firstChild.onclick, errors.length)";
    assert_eq!(errors(&mut mcp, touch), 1);
}

/// A page of many rows is folded, so that its end is in the first answer; the rows come by the cursor.
#[test]
fn repeats_are_folded_when_a_page_is_too_long() {
    let env = Lease::take();
    let rows: String = (0..2000)
        .map(|row| format!("<li><a href=/{row}>Open {row}</a> <button>Delete</button>"))
        .collect();
    let site = Site::of(&format!("<ul>{rows}</ul><button>Next page</button>"));
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let read = mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap();
    assert!(
        text.len() < 45_000 && text.contains("\"Next page\""),
        "{text}"
    );
    let folded = text.lines().find(|line| line.contains("more like e"));
    let folded = folded.unwrap_or_else(|| panic!("{text}"));
    let (_, cursor) = folded.split_once("cursor `").unwrap();
    let cursor = cursor.split('`').next().unwrap();
    assert_eq!(read["cursor"], cursor);
    let rest = mcp.ok("browser_snapshot", json!({"cursor": cursor}));
    let (rest, last) = (rest["snapshot"].as_str().unwrap(), text.lines());
    let open = |line: &str| {
        line.split_once("\"Open ")?
            .1
            .split('"')
            .next()?
            .parse()
            .ok()
    };
    let before: u32 = last.filter_map(open).next_back().unwrap();
    assert_eq!(rest.lines().find_map(open), Some(before + 1), "{rest}");
}

/// Listeners in shadow trees, open and closed, are asked for as those of the document are.
#[test]
fn listeners_in_shadow_trees_are_found() {
    let env = Lease::take();
    let site = Site::of(
        "<x-open></x-open><x-closed></x-closed><script>
        for (const mode of ['open', 'closed']) customElements.define('x-' + mode, class extends HTMLElement {
          connectedCallback() {
            const root = this.attachShadow({mode});
            root.innerHTML = `<span class=${mode}></span><style>span { display: inline-block; width: 20px; height: 20px }</style>`;
            root.firstChild.addEventListener('click', () => {});
          }
        });</script>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    mcp.ok("browser_snapshot", json!({}));
    // Closed trees are found by the first reading.
    let read = mcp.ok("browser_snapshot", json!({}));
    let text = read["snapshot"].as_str().unwrap();
    for class in [".open clickable", ".closed clickable"] {
        assert!(text.contains(class), "{class}: {text}");
    }
}

/// Chromium lost about one page in twenty when it was asked for the listeners of all worlds.
#[test]
fn no_page_is_lost_over_its_listeners() {
    let env = Lease::take();
    let pages = 40;
    let plan = (0..pages).fold(Site::plan(), |plan, page| {
        plan.page(
            &format!("/{page}"),
            &format!("<label>Field {page} <input id=f></label><ul id=l><li>A<li>B<li>C</ul><button onclick='f.value = 1'>Go</button><script>f.oninput = () => {{}}; l.onclick = () => {{}}</script>"),
        )
    });
    let site = plan.serve();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    for page in 0..pages {
        let url = site.url(&format!("/{page}"));
        let read = mcp.ok(
            "browser_navigate",
            json!({"url": url, "snapshot": "interactive"}),
        );
        let text = read["snapshot"]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("page {page}: {read}"));
        assert!(text.contains(&format!("Field {page}")), "{text}");
    }
}

/// A document that reports its uncaught errors is asked for its listeners like any other, reloaded or not.
#[test]
fn no_captured_page_is_lost_over_its_listeners() {
    let env = Lease::take();
    let site = Site::of(
        "<label>Field <input id=f></label><ul id=l><li>A<li>B<li>C</ul><div id=d>Alone</div><script>f.oninput = () => {}; l.onclick = d.onclick = () => {}</script>",
    );
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("browser_logs", json!({"capture": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for round in 0..60 {
        let read = mcp.ok(
            "browser_navigate",
            json!({"history": "reload", "snapshot": "interactive"}),
        );
        let text = read["snapshot"]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("round {round}: {read}"));
        assert!(text.contains("\"Alone\""), "round {round}: {text}");
    }
}

/// What one listener on a parent serves: cells beside breaks, in rows, in a list of two.
#[test]
fn cells_that_a_parent_listens_for_have_lines_of_their_own() {
    let env = Lease::take();
    let site = Site::of(
        "<div id=board><div class=cell>X</div><div class=cell></div><br><div class=cell>O</div><div class=cell></div></div>
         <div id=rows><div class=row><b class=c>1</b><b class='c on'>2</b><b class=c>3</b></div><div class=row><b class=c>4</b><b class=c>5</b><b class=c>6</b></div><div class=row><b class=c>7</b><b class=c>8</b><b class=c>9</b></div></div>
         <ul id=list><li>Call Ann<li>Buy milk</ul>
         <div id=hands><span>Sum</span> <i style='cursor: pointer'>less</i></div>
         <div id=days><table role=grid><tr><td role=gridcell aria-label='May 1'>1<td role=gridcell aria-label='May 2'>2</table></div><div id=archive>Archive</div>
         <style>.cell { display: inline-block; width: 40px; height: 40px } .c { display: inline-block; width: 40px }</style>
         <script>days.onmousedown = archive.ondrop = () => {}; board.onclick = rows.onclick = hands.onclick = (event) => { event.target.textContent += '!' }; list.ondblclick = (event) => { event.target.textContent += '?' }</script>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let read = mcp.ok("browser_snapshot", json!({}));
    let expected = r##"
- generic [e1] #board clickable
  - generic "X" [e2] clickable
  - generic [e3] .cell clickable
  - generic "O" [e4] clickable
  - generic [e5] .cell clickable
- generic [e6] #rows clickable
  - generic "1" [e7] clickable
  - generic "2" [e8] clickable
  - generic "3" [e9] clickable
  - generic "4" [e10] clickable
  - generic "5" [e11] clickable
  - generic "6" [e12] clickable
  - generic "7" [e13] clickable
  - generic "8" [e14] clickable
  - generic "9" [e15] clickable
- list [e16] #list clickable
  - listitem "Call Ann" [e17] clickable
  - listitem "Buy milk" [e18] clickable
- generic [e19] #hands clickable
  - text: Sum
  - generic "less" [e20] clickable
- grid
  - gridcell "May 1" [e21]
  - gridcell "May 2" [e22]
- generic "Archive" [e23] droppable"##;
    assert_eq!(read["snapshot"], expected.trim_start());
    for (target, shows) in [("e4", "O!"), ("e11", "5!"), ("e20", "less!")] {
        let did = mcp.ok("browser_act", json!({"kind": "click", "ref": target}));
        assert!(did["diff"].as_str().unwrap().contains(shows), "{did}");
    }
}

/// Icons that open entries of a tree, glyphs of icon fonts, and a list that is kept for screen readers.
#[test]
fn icons_have_lines_and_lists_without_room_have_none() {
    let env = Lease::take();
    let site = Site::of(
        "<div role=tree><div role=treeitem><span class=switcher></span><span class=title>Fruit</span></div></div>
         <button title=Delete>\u{e001}</button><button class=bin><i title=Remove>\u{e002}</i></button><button class=star>\u{f0001}</button>
         <div style='height: 0; width: 0; overflow: hidden' role=listbox><div role=option>Hidden</div></div>
         <div role=listbox aria-label=Open><div role=option>Seen</div></div>
         <style>.switcher { display: inline-block; width: 20px; height: 20px } .switcher, .title { cursor: pointer }</style>",
    );
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let read = mcp.ok("browser_snapshot", json!({}));
    let expected = r##"
- tree
  - treeitem "Fruit" [e1]
    - generic [e2] .switcher clickable
- button "Delete" [e3]
- button "Remove" [e4]
- button [e5] .star
- listbox "Open" [e6]
  - option "Seen" [e7]"##;
    assert_eq!(read["snapshot"], expected.trim_start());
}
