//! The page that judges input (`crates/detectors/pages/input.html`) can tell a driver from a person.
//!
//! Beside other tests the times of a driver's keys are now and then those of a person.

use serde_json::Value;

use crate::harness::Driver;
use crate::stealth::detectors::Lab;
use crate::stealth::input::page;

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
