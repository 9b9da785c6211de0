//! Points of drawings, drags by a distance, and other buttons than the left one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::{Answer, Driver, Lease, Mcp, Site, TestEnv, wait_until};

/// A canvas, a knob on a track, and a button with a menu. All that is done is told to the server, in the
/// coordinates of what it was done to, also when a program closes the page at once.
fn page(state: usize) -> String {
    let (before, width) = match state {
        0 => ("", 300),
        1 => ("<p>News</p><p>More news</p>", 300),
        _ => ("", 240),
    };
    format!(
        "<!doctype html><html lang=en><title>Drawing</title>
        <style>#track {{ width: 400px; height: 20px; background: #ddd }} #knob {{ width: 20px; height: 20px; background: #888 }}</style>
        <h1>Drawing</h1>{before}<canvas id=board width={width} height=150 style='background: #eee'></canvas>
        <div id=track><div id=knob></div></div><button>Options</button><script>
        const log = [];
        const told = (...what) => {{ log.push(what.join(' ')); fetch('/told?all=' + encodeURIComponent(log.join('; ')), {{ keepalive: true }}); }};
        const of = (event) => Math.round(event.offsetX) + ' ' + Math.round(event.offsetY);
        board.onpointerdown = (event) => told('down', of(event));
        board.onpointerup = (event) => told('up', of(event));
        let from;
        knob.onpointerdown = (event) => {{ from = event.clientX; knob.setPointerCapture(event.pointerId); }};
        knob.onpointerup = (event) => told('knob', event.clientX - from);
        document.querySelector('button').oncontextmenu = (event) => {{ event.preventDefault(); told('menu', event.shiftKey); }};
        </script>"
    )
}

const DONE: &str = "down 40 30; up 40 30; down 20 75; up 280 75; knob 120; menu true";

/// What the last page told, all in all.
fn told(site: &Site) -> String {
    let asked = site.asked();
    let all = asked.iter().filter(|one| one.path == "/told");
    let since = asked.iter().rposition(|one| one.path == "/").unwrap_or(0);
    let all =
        all.filter(|one| asked.iter().position(|other| std::ptr::eq(other, *one)) > Some(since));
    let longest = all.map(|one| one.field("all")).max_by_key(String::len);
    longest.unwrap_or_default()
}

fn has_told(site: &Site, expected: &str) {
    wait_until(expected, crate::harness::PATIENTLY, || {
        told(site) == expected
    });
}

fn drawing() -> (Site, Arc<AtomicUsize>) {
    let state = Arc::new(AtomicUsize::new(0));
    let served = Arc::clone(&state);
    let site = Site::plan()
        .on("/", move |_| {
            Answer::html(page(served.load(Ordering::SeqCst)))
        })
        .page("/told", "")
        .serve();
    (site, state)
}

/// The upper left corner of the canvas in the viewport.
fn corner(mcp: &mut Mcp) -> (i64, i64) {
    let code = "(() => { const { x, y } = board.getBoundingClientRect(); return [Math.round(x), Math.round(y)]; })()";
    let value = mcp.ok("browser_run_code", json!({"code": code, "world": "main"}))["value"].clone();
    (
        value[0].as_f64().unwrap() as i64,
        value[1].as_f64().unwrap() as i64,
    )
}

/// Draws with the coordinates of a picture, as a model that sees one does.
fn draw(mcp: &mut Mcp) {
    let (x, y) = corner(mcp);
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "x": x + 40, "y": y + 30}),
    );
    mcp.ok(
        "browser_act",
        json!({"kind": "drag", "x": x + 20, "y": y + 75, "to": format!("{},{}", x + 280, y + 75)}),
    );
    mcp.ok(
        "browser_act",
        json!({"kind": "drag", "selector": "#knob", "dx": 120}),
    );
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "name": "Options", "button": "right", "modifiers": ["Shift"]}),
    );
}

#[test]
fn drawings_are_worked_at_the_same_points_and_in_the_same_size_only() {
    let env = Lease::take();
    let (site, state) = drawing();
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    draw(&mut mcp);
    has_told(&site, DONE);
    let saved = mcp.ok("recipe_save", json!({"name": "draw"}));
    assert_eq!(
        saved["notes"].to_string().matches("left out").count(),
        0,
        "{saved}"
    );
    let text = saved["text"].as_str().unwrap();
    for line in [
        "\npoint = { height = 150, width = 300, x = 40, y = 30 }",
        "to_point = { height = 150, width = 300, x = 280, y = 75 }",
        "by = { x = 120, y = 0 }",
        "button = \"right\"\nmodifiers = [\"Shift\"]",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let log = env
        .szk(["logs", "--kind", "acts", "-s", "work"])
        .ok()
        .stdout;
    for line in [
        "drag canvas \"#board\" at 20,75 to canvas \"#board\" at 280,75",
        "drag generic \"#knob\" by 120,0",
        "click button \"Options\" with the right button",
    ] {
        assert!(log.contains(line), "{line}\n{log}");
    }
    let checked = mcp.ok("recipe_check", json!({"name": "draw"}));
    let refs = checked["elements"].as_array().unwrap().iter();
    assert!(refs.clone().all(|row| row["ref"].is_string()), "{checked}");

    // Elsewhere on the page, and of another size.
    state.store(1, Ordering::SeqCst);
    mcp.ok("recipe_run", json!({"name": "draw"}));
    has_told(&site, DONE);
    state.store(2, Ordering::SeqCst);
    let stopped = mcp.fails("recipe_run", json!({"name": "draw"}), "RECIPE_STALE");
    assert!(
        stopped
            .to_string()
            .contains("was 300x150 and is now 240x150"),
        "{stopped}"
    );
    assert_eq!(told(&site), "");
    mcp.ok("recipe_delete", json!({"name": "draw"}));
}

#[test]
fn exports_draw_too() {
    let env = TestEnv::new();
    let (site, _) = drawing();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    draw(&mut mcp);
    mcp.ok("recipe_save", json!({"name": "draw"}));
    let mut export = |format: &str| {
        let input = json!({"name": "draw", "format": format});
        let text = mcp.ok("recipe_export", input)["text"].clone();
        text.as_str().unwrap().to_owned()
    };
    let (test, program, steps) = (export("typescript"), export("python"), export("batch"));
    env.project(&[("tests/draw.spec.mjs", &test), ("draw.py", &program)]);
    let ran = mcp.call("browser_run_test", json!({}));
    assert_eq!(ran["structuredContent"]["passed"], 1, "{ran:#}\n{test}");
    has_told(&site, DONE);
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python/bin/python");
    let python = std::path::absolute(python).unwrap().display().to_string();
    env.szk(["run", "work", "--", &python, "draw.py"]).ok();
    has_told(&site, DONE);
    let steps: Value = serde_json::from_str(&steps).unwrap();
    mcp.ok("browser_batch", json!({"steps": steps}));
    has_told(&site, DONE);
}

#[test]
fn what_a_person_draws_is_recorded_where_it_was_drawn() {
    let env = TestEnv::new();
    let (site, _) = drawing();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("recipe_record", json!({"action": "start", "name": "draw"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let (x, y) = corner(&mut mcp);
    let mut person = Driver::puppeteer(&env, &env.endpoint("work"));
    person.run(&format!(
        "await page.mouse.click({}, {}); await page.mouse.move({}, {}); await page.mouse.down();
        await page.mouse.move({}, {}, {{ steps: 5 }}); await page.mouse.up()",
        x + 40,
        y + 30,
        x + 20,
        y + 75,
        x + 280,
        y + 75
    ));
    let drawn = "down 40 30; up 40 30; down 20 75; up 280 75";
    has_told(&site, drawn);
    mcp.ok("recipe_record", json!({"action": "stop"}));
    mcp.ok("recipe_run", json!({"name": "draw"}));
    has_told(&site, drawn);
}

#[test]
fn a_text_at_a_point_is_of_the_field_there_and_no_password_is_logged() {
    let env = Lease::take();
    let site = Site::of(
        "<!doctype html><html lang=en><title>Fields</title><style>body { margin: 0 } input, div { display: block; height: 40px; width: 200px }</style>
        <input aria-label=Name><input type=password aria-label=Code><div>Nothing</div>",
    );
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let middle = |mcp: &mut Mcp, css: &str| {
        let code = format!(
            "(() => {{ const {{ x, y, width, height }} = document.querySelector('{css}').getBoundingClientRect(); \
             return [Math.round(x + width / 2), Math.round(y + height / 2)]; }})()"
        );
        mcp.ok("browser_run_code", json!({"code": code}))["value"].clone()
    };
    for (css, text) in [
        ("[aria-label=Name]", "Ada at a point"),
        ("[aria-label=Code]", "hunter2-point"),
        ("div", "typed-nowhere"),
    ] {
        let at = middle(&mut mcp, css);
        mcp.call(
            "browser_act",
            json!({"kind": "type", "x": at[0], "y": at[1], "text": text}),
        );
    }
    let log = env
        .szk(["logs", "--kind", "acts", "-s", "work"])
        .ok()
        .stdout;
    assert!(
        log.contains("type textbox \"Name\" = Ada at a point"),
        "{log}"
    );
    assert!(
        !log.contains("hunter2-point") && !log.contains("typed-nowhere"),
        "{log}"
    );
}

#[test]
fn a_point_of_one_of_several_drawings_without_ids_is_left_out() {
    let env = Lease::take();
    let site = Site::of(
        "<!doctype html><html lang=en><title>Two</title><div id=pair><canvas></canvas><canvas></canvas></div><button>Save</button>",
    );
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work"}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    mcp.ok("browser_act", json!({"kind": "click", "x": 40, "y": 40}));
    mcp.ok("browser_act", json!({"kind": "click", "name": "Save"}));
    let saved = mcp.ok("recipe_save", json!({"name": "two"}));
    assert!(
        !saved["text"].as_str().unwrap().contains("canvas"),
        "{saved}"
    );
    assert!(saved["notes"].to_string().contains("left out"), "{saved}");
    mcp.ok("recipe_delete", json!({"name": "two"}));
}
