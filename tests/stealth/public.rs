//! The ten checks of rebrowser's bot detector, exercised by szk itself and by the drivers known to
//! fail them.

use serde_json::{Value, json};

use super::detectors::Lab;
use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

const PAGE: &str = include_str!("../../crates/detectors/pages/solo/ten.html");

/// How many checks are green, neutral and red.
fn rated(ten: &Value) -> [usize; 3] {
    let ten = ten.as_object().expect("ratings by name");
    [-1, 0, 1].map(|rating| ten.values().filter(|value| **value == rating).count())
}

#[track_caller]
fn red(ten: &Value) -> Vec<String> {
    let all = ten.as_object().expect("ratings by name").iter();
    let mut red: Vec<String> = all
        .filter(|(_, value)| **value == 1)
        .map(|(name, _)| name.clone())
        .collect();
    red.sort_unstable();
    red
}

#[test]
fn nine_are_green_and_one_is_neutral() {
    let env = TestEnv::new();
    let site = Site::of(PAGE);
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    // What szk does on its own, in its isolated world: read, and define a function there.
    mcp.eval("work", "document.getElementById('here').textContent");
    mcp.eval("work", "document.getElementsByClassName('there').length");
    mcp.eval("work", "globalThis.exposedFn = () => 1");
    // What it does in the page's world on request.
    for code in ["dummyFn()", "document.getElementById('here').textContent"] {
        mcp.ok("browser_run_code", json!({"code": code, "world": "main"}));
    }
    let brands = env.eval_main(
        "work",
        "navigator.userAgentData.brands.map(({brand}) => brand)",
    );
    let chrome = brands.to_string().contains("Google Chrome");
    let ten = || env.eval_main("work", "ten");
    wait_until("the policy has been tried", SOON, || {
        ten()["bypassCsp"] != 0
    });
    let seen = ten();
    // Debian's Chromium does not claim to be Google Chrome, which it is not.
    let expected: &[&str] = if chrome { &[] } else { &["useragent"] };
    assert_eq!(red(&seen), expected, "{seen:#}");
    assert_eq!(
        rated(&seen),
        [9 - expected.len(), 1, expected.len()],
        "{seen:#}"
    );
    assert_eq!(seen["mainWorldExecution"], 0, "{seen:#}");
}

/// What a driver does to see all ten, and the ratings.
fn driven(tool: &str, before: &str) -> Value {
    let lab = Lab::new();
    let browser = lab.binary();
    let site = Site::of(PAGE);
    let mut driver = Driver::control(&lab.env, tool, &browser);
    driver.run(&format!(
        "{before} await page.exposeFunction('exposedFn', () => 1);
         await page.goto('{}');
         await page.evaluate(() => dummyFn());
         await page.evaluate(() => document.getElementById('here').textContent);
         await page.evaluate(() => document.getElementsByClassName('there').length);
         await page.waitForFunction(() => ten.bypassCsp && ten.runtimeEnableLeak === 1 && ten.exposeFunctionLeak === 1);
         return page.evaluate(() => ten)",
        site.url("/")
    ))
}

#[test]
fn playwright_fails_its_own() {
    let before =
        "page = await browser.newPage({bypassCSP: true}); await page.addInitScript(() => {});";
    assert_eq!(
        red(&driven("playwright", before)),
        [
            "bypassCsp",
            "exposeFunctionLeak",
            "mainWorldExecution",
            "navigatorWebdriver",
            "pwInitScripts",
            "runtimeEnableLeak",
            "sourceUrlLeak",
            "useragent",
            "viewport",
        ]
    );
}

#[test]
fn puppeteer_fails_its_own() {
    assert_eq!(
        red(&driven("puppeteer", "")),
        [
            "exposeFunctionLeak",
            "mainWorldExecution",
            "navigatorWebdriver",
            "runtimeEnableLeak",
            "sourceUrlLeak",
            "useragent",
            "viewport",
        ]
    );
}
