//! The page that judges input (`crates/detectors/pages/input.html`) takes szk for a person.

use serde_json::{Value, json};

use super::shows;
use crate::harness::{Mcp, SOON, Site, TestEnv, wait_for};
use crate::stealth::input::page;

/// What tells szk from a hand, and cannot be otherwise without a display of its own (`docs/stealth.md`): DevTools gives the page the focus
/// before each event of the mouse, and Chromium passes everything on that waited for the frame until then; a
/// wheel that glides has wrong fields; and drags carry neither their place on the screen nor buttons.
const KNOWN: [&str; 4] = [
    "carry.place",
    "carry.buttons",
    "mouse.frames",
    "wheel.glides",
];

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
    let tops = report["wheel.glides"]["seen"].as_array();
    assert!(
        tops.is_some_and(|tops| tops.len() == 10),
        "it is drawn on the way: {tops:?}"
    );
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
