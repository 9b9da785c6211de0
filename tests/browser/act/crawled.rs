//! Everything that is shown can be worked, and everything that can be worked is shown. `scripts/tasks crawl`
//! asks the same of the pages of well-known libraries.

use serde_json::{Value, json};

use super::Bench;

/// Controls, and what only a listener, a role, a tabindex or a style makes one.
const PAGE: &str = "<!doctype html><style>
  body { margin: 8px; font: 14px sans-serif } .cell, .icon { display: inline-block; width: 20px; height: 20px; background: #cde }
  .card { border: 1px solid; padding: 6px; cursor: pointer } .fake { position: relative; display: inline-block; width: 24px; height: 24px }
  .fake input { position: absolute; inset: 0; margin: 0; opacity: 0 } li { cursor: pointer }
  .number { position: relative; width: 80px; border: 1px solid } #more { position: absolute; right: 0; top: 0; width: 16px; height: 16px; clip-path: inset(0 0 0 16px) }
  .number:hover #more { clip-path: none; background: #abc }
  .hid { position: relative } .hid input { position: absolute; opacity: 0; width: 1px; height: 1px; left: -30px }
  .row { display: flex; gap: 8px } .row > span { width: 60px }
  </style><script>
  // Before anything listens.
  listening = new Set();
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) { if (/^(click|dblclick|mousedown|pointerdown)$/.test(type)) listening.add(this); return add.call(this, type, ...rest) };
  on = (selector, type = 'click') => document.querySelectorAll(selector).forEach((el) => el.addEventListener(type, () => {}));
  </script>
  <button>Plain</button> <a href='#x'>Link</a> <label>Name <input></label> <input type=range aria-label=Loud> <textarea></textarea>
  <select aria-label=Size><option>S<option>L</select> <details><summary>More</summary>Text</details>
  <div role=switch aria-checked=false tabindex=0>Dark</div> <div tabindex=0>Focus me</div> <div contenteditable style='width: 200px'>Edit me</div>
  <div draggable=true style='width: 90px'>Drag me</div>
  <div class=card>Card <span class=icon id=star title=Star></span> <i class=icon id=bin></i></div>
  <span class=fake><input type=checkbox aria-label=Fake></span> <label class=fake style='background: #eee'><input type=radio name=r aria-label=Radio></label>
  <span id=prev>‹</span><span id=next>›</span>
  <div id=board></div> <ul id=list><li>One<li>Two<li>Three</ul>
  <table><tr class=line><td>Ann<td><b class=icon id=del></b></table>
  <div class=row id=row><span>left</span><span id=mid>mid</span><span>right</span></div>
  <svg width=200 height=60><g><rect x=0 y=0 width=60 height=50 fill=teal /><circle cx=120 cy=30 r=20 /></g><text x=150 y=30>Label</text></svg>
  <canvas id=map width=80 height=40></canvas> <div id=track style='width: 120px; height: 12px; background: #ddd'></div>
  <div class=number>1<i id=more></i></div> <span class=hid><input type=radio name=s id=good><label for=good>Good</label></span>
  <div tabindex=0></div> <ul role=listbox id=none></ul>
  <div id=todo style='width: 300px; border: 1px solid'>Milk <i class='icon fav' id=fav></i> <i class=icon id=trash></i></div>
  <div role=button tabindex=0 style='width: 150px; border: 1px solid'>Chip <svg aria-hidden=true width=16 height=16 id=chip><circle cx=8 cy=8 r=8 /></svg></div>
  <div>2 <b aria-hidden=true class=icon id=spin></b></div>
  <x-box></x-box><script>
  for (let n = 0; n < 6; n++) board.insertAdjacentHTML('beforeend', '<span class=cell></span> ');
  customElements.define('x-box', class extends HTMLElement { connectedCallback() {
    const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<span style=\"display: inline-block; width: 30px\">deep</span>';
    root.firstChild.addEventListener('click', () => {}) } });
  on('.card, #star, #bin, #prev, #next, .line, #del, #mid, #board + ul + table + div + svg circle, rect, #map, .cell, #more, #todo, #chip, #spin'); [fav, trash].forEach((el) => listening.add(el)); on('#track', 'pointerdown'); on('#list');
  </script>";

/// Elements that work, that a press in their middle reaches, and that no press in the middle of something
/// shown does.
const UNSHOWN: &str = "(points) => {
  const all = [];
  const visit = (root) => root.querySelectorAll('*').forEach((el) => { all.push(el); if (el.shadowRoot) visit(el.shadowRoot) });
  visit(document);
  const works = (el) => listening.has(el) || el.draggable && el.localName === 'div' || el.matches('a[href],button,input,select,textarea,summary,[role],[tabindex],[contenteditable]');
  return all.filter(works).filter((el) => {
    const root = el.getRootNode(), { x, y, width, height } = el.getBoundingClientRect();
    const reaches = (x, y) => el.contains(root.elementFromPoint(x, y));
    return reaches(x + width / 2, y + height / 2) && !points.some(([x, y]) => reaches(x, y));
  }).map((el) => el.outerHTML.slice(0, 60));
}";

/// Whether the pointer is on something of this box.
const POINTED: &str = "([left, top, width, height]) => {
  const over = [...document.querySelectorAll(':hover')];
  for (const el of over) if (el.shadowRoot) over.push(...el.shadowRoot.querySelectorAll(':hover'));
  // A label stands for what it draws.
  return over.flatMap((el) => [el, el.control ?? el]).some((el) => { const one = el.getBoundingClientRect();
    return Math.abs(one.x - left) <= 2 && Math.abs(one.y - top) <= 2 && Math.abs(one.width - width) <= 2 && Math.abs(one.height - height) <= 2 });
}";

#[test]
fn what_is_shown_can_be_worked_and_what_can_be_worked_is_shown() {
    let mut bench = Bench::of(PAGE);
    let seen = bench.mcp.ok("browser_snapshot", json!({"boxes": true}));
    let shown: Vec<(String, String, Vec<i32>)> = seen["snapshot"]
        .as_str()
        .unwrap()
        .lines()
        .filter_map(|line| {
            let reference = line.split(['[', ']']).find(|part| {
                let digits = part.strip_prefix('e').unwrap_or_default();
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            })?;
            let area = line.split("[box=").nth(1)?.split(']').next()?;
            let area = area.split(',').map(|side| side.parse().unwrap()).collect();
            Some((line.trim().to_owned(), reference.to_owned(), area))
        })
        .collect();
    assert!(shown.len() > 30, "{seen:#}");
    let middles: Vec<[f64; 2]> = shown
        .iter()
        .map(|(_, _, area)| {
            let [x, y, width, height] = [0, 1, 2, 3].map(|side| f64::from(area[side]));
            [x + width / 2.0, y + height / 2.0]
        })
        .collect();
    let unshown = bench.page(&format!("({UNSHOWN})({})", json!(middles)));
    assert_eq!(unshown, json!([]), "{seen:#}");
    let mut unworkable = Vec::new();
    for (line, reference, area) in &shown {
        bench.act("hover", json!({"ref": reference}));
        let pointed = bench.page(&format!("({POINTED})({})", json!(area)));
        if pointed != Value::Bool(true) {
            unworkable.push(line);
        }
    }
    assert!(unworkable.is_empty(), "{unworkable:#?}");
}
