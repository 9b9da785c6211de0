//! The page that judges input (`crates/detectors/pages/input.html`) can tell a driver from a person.

use serde_json::{Value, json};

use super::detectors::Lab;
use crate::harness::{Answer, Driver, Mcp, Plan, SOON, Site, TestEnv, wait_for};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../crates/detectors/pages/", $name))
    };
}

/// The page, for whoever works it.
pub(crate) fn page() -> Site {
    scripts().page("/", file!("input.html")).serve()
}

/// What the page loads.
pub(crate) fn scripts() -> Plan {
    Site::plan()
        .script("/input/record.js", file!("input/record.js"))
        .script("/input/pointer.js", file!("input/pointer.js"))
        .script("/input/keys.js", file!("input/keys.js"))
        .script("/input/report.js", file!("input/report.js"))
        .on("/left", |_| Answer::status(204))
}

/// What tells szk from a hand, and cannot be otherwise without a display of its own (`docs/stealth.md`): DevTools gives the page the focus
/// before each event of the mouse, and Chromium passes everything on that waited for the frame until then; a
/// wheel that glides has wrong fields; and drags carry neither their place on the screen nor buttons.
const KNOWN: [&str; 4] = [
    "carry.place",
    "carry.buttons",
    "mouse.frames",
    "wheel.glides",
];

/// What a user of Playwright writes. The clicks are there five times: beside a busy machine, the time between two
/// events of a driver is now and then that of a person. Each round rests, or the page would take them all for one
/// long movement of the mouse.
const WORK: &str = "
    for (let round = 0; round < 5; round++) {
        await page.click('#button');
        await page.dblclick('#double');
        await page.waitForTimeout(300);
    }
    await page.click('#right', {button: 'right'});
    await page.click('#text');
    await page.keyboard.type('Hello, World 42!');
    await page.keyboard.press('Backspace');
    await page.hover('#scroll');
    await page.mouse.wheel(0, 900);
    await page.dragAndDrop('#from', '#to');
    await page.dragAndDrop('#card', '#tray');
    await page.fill('#text', 'filled');
    await page.evaluate(() => document.getElementById('button').click());
    return page.evaluate(() => inputReport());
";

/// What that gives away.
const SHOWN: [&str; 25] = [
    "mouse.trusted",
    "mouse.many-moves",
    "mouse.integer",
    "mouse.coalesced",
    "mouse.predicted",
    "mouse.slows",
    "mouse.one-clock",
    "click.rests",
    "right.release",
    "wheel.fields",
    "wheel.one-clock",
    "carry.path",
    "key.one-clock",
    "click.dwell",
    "click.arrived",
    "double.pace",
    "wheel.notches",
    "drag.path",
    "key.shift",
    "key.shift-leads",
    "key.dwell",
    "key.rhythm",
    "key.every-letter",
    "scripts.no-calls",
    "scripts.nothing-untrusted",
];

#[test]
fn playwright_is_not_a_person() {
    let lab = Lab::new();
    let browser = lab.binary();
    let site = page();
    let mut driver = Driver::control(&lab.env, "playwright", &browser);
    driver.run(&format!("await page.goto('{}')", site.url("/")));
    let report = driver.run(WORK);
    let failed = |name: &&str| report[*name]["ok"] == false;
    let passed: Vec<&&str> = SHOWN.iter().filter(|name| !failed(name)).collect();
    assert!(passed.is_empty(), "{passed:?}: {report:#}");
    // And what any trusted event has does not count against it.
    for name in [
        "mouse.pointer",
        "click.order",
        "key.trusted",
        "key.code",
        "key.released",
        "carry.order",
        "carry.no-release",
    ] {
        assert_eq!(report[name]["ok"], Value::Bool(true), "{name}: {report:#}");
    }
}

/// What pages have told when they were left.
fn left(site: &Site) -> Vec<String> {
    let asked = site.asked().into_iter();
    let left = asked.filter(|asked| asked.path == "/left");
    left.map(|asked| asked.body).collect()
}

/// Tells where the pointer was when the page went.
const LEAVING: &str = "
    let where = 'still there';
    document.addEventListener('mouseleave', (event) => { where = `out through the ${event.clientY < 0 ? 'top' : 'side'}`; });
    document.addEventListener('mouseenter', () => { where = 'back'; });
    addEventListener('pagehide', () => navigator.sendBeacon('/left', where));
    0";

/// Whether a hand on a mouse of an X server shows what a check wants. Xvfb is a program: on a busy machine it
/// reports the mouse when it gets the processor, so there less of the times are even, by hand (70 % under a load of
/// 22 on two processors) as in szk.
pub(crate) fn shows(name: &str, verdict: &Value) -> bool {
    let share = || Some(verdict["seen"][1].as_f64()? / verdict["seen"][2].as_f64()?);
    verdict["ok"] == true || name == "mouse.period" && share() > Some(0.6)
}

/// A session at a person's pace that has worked the page, and which checks of the page failed.
fn worked(
    env: &TestEnv,
    site: &Site,
    passes: fn(&str, &Value) -> bool,
) -> (Mcp, Vec<String>, Value) {
    let mut mcp = env.mcp();
    mcp.ok("session_open", json!({"session": "work", "headless": true}));
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    for act in [
        json!({"kind": "click", "selector": "#button"}),
        json!({"kind": "click", "selector": "#double", "count": 2}),
        json!({"kind": "click", "selector": "#right", "button": "right"}),
        json!({"kind": "click", "selector": "#text"}),
        json!({"kind": "type", "selector": "#text", "text": "Hello, World 42!"}),
        json!({"kind": "press", "key": "Backspace"}),
        json!({"kind": "scroll", "selector": "#scroll", "dy": 840}),
        json!({"kind": "drag", "selector": "#from", "to": "#to"}),
        json!({"kind": "drag", "selector": "#card", "to": "#tray"}),
        json!({"kind": "click", "selector": "#button"}),
    ] {
        mcp.ok("browser_act", act);
    }
    let asked = json!({"world": "main", "code": "inputReport()"});
    let report = mcp.ok("browser_run_code", asked)["value"].clone();
    let judged = report.as_object().expect("a report");
    assert!(judged.len() > 60, "{} checks", judged.len());
    let failed = judged
        .iter()
        .filter(|(name, verdict)| !passes(name, verdict))
        .map(|(name, _)| name.clone())
        .collect();
    (mcp, failed, report)
}

#[test]
fn a_display_of_szks_own_has_a_mouse() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n\n[browser]\nxvfb = true\n");
    let (_mcp, failed, report) = worked(&env, &page(), shows);
    assert!(failed.is_empty(), "{failed:?}: {report:#}");
}

#[test]
fn a_persons_pace_is_that_of_a_person() {
    let env = TestEnv::new();
    env.config("[session]\ninput = \"human\"\n");
    let site = page();
    let (mut mcp, failed, report) = worked(&env, &site, |_, verdict| verdict["ok"] == true);
    assert_eq!(failed, KNOWN, "{report:#}");
    // Whoever goes elsewhere does so in the toolbar; a page behind another is left alone.
    for (behind, expected) in [(false, "out through the top"), (true, "still there")] {
        mcp.ok(
            "browser_act",
            json!({"kind": "hover", "selector": "#button", "tab": "t1"}),
        );
        let asked = json!({"world": "main", "code": LEAVING, "tab": "t1"});
        mcp.ok("browser_run_code", asked);
        if behind {
            mcp.ok("browser_tabs", json!({"action": "open"}));
        }
        let before = left(&site).len();
        mcp.ok(
            "browser_navigate",
            json!({"url": site.url("/"), "tab": "t1"}),
        );
        let told = wait_for("the page was left", SOON, || {
            left(&site).get(before).cloned()
        });
        assert_eq!(told, expected);
    }
}
