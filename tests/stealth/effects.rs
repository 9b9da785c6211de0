//! What a page can do in an ordinary browser works here too: coming back whole, its service worker, its
//! cache, and the focus of one tab at a time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::detectors::Lab;
use crate::harness::{Answer, Driver, SOON, Site, TestEnv, wait_until};

const TOLD: [&str; 3] = ["cached", "kept", "worker"];

fn site() -> Site {
    let number = AtomicUsize::new(0);
    Site::plan()
        .page(
            "/",
            include_str!("../../crates/detectors/pages/solo/effects.html"),
        )
        .page(
            "/away",
            include_str!("../../crates/detectors/pages/solo/away.html"),
        )
        .script(
            "/worker.js",
            include_str!("../../crates/detectors/pages/solo/worker.js"),
        )
        .on("/number", move |_| {
            let number = number.fetch_add(1, Ordering::SeqCst);
            Answer::json(&json!(number)).header("Cache-Control", "max-age=600")
        })
        .on("/tell", |_| Answer::status(204))
        .serve()
}

/// What the page has told, once it has told all of it.
#[track_caller]
fn told(site: &Site) -> BTreeMap<String, String> {
    let told = || -> BTreeMap<String, String> {
        let asked = site.asked().into_iter();
        asked
            .filter(|asked| asked.path == "/tell")
            .filter_map(|asked| {
                let (name, value) = asked.query.split_once('=')?;
                Some((name.to_owned(), value.to_owned()))
            })
            .collect()
    };
    wait_until("the page has told all", SOON, || told().len() == TOLD.len());
    told()
}

#[test]
fn a_page_finds_its_cache_its_worker_and_itself() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    assert!(
        told(&site).values().all(|value| value == "true"),
        "{:?}",
        told(&site)
    );
}

#[test]
fn playwright_and_puppeteer_take_them_away() {
    let lab = Lab::new();
    let browser = lab.binary();
    for (tool, before, lost) in [
        (
            "playwright",
            "await page.route('**/unused', (route) => route.abort());",
            ["cached", "kept"],
        ),
        (
            "puppeteer",
            "await page.setCacheEnabled(false); await page.setBypassServiceWorker(true);",
            ["cached", "worker"],
        ),
    ] {
        let site = site();
        let mut driver = Driver::control(&lab.env, tool, &browser);
        driver.run(&format!("{before} await page.goto('{}')", site.url("/")));
        let told = told(&site);
        for name in lost {
            assert_eq!(told[name], "false", "{tool}: {told:?}");
        }
    }
}

#[test]
fn one_tab_has_the_focus() {
    let env = TestEnv::new();
    let site = Site::plan()
        .page("/", "<title>one</title>")
        .page("/two", "<title>two</title>")
        .serve();
    let mut mcp = env.mcp();
    mcp.ok(
        "session_open",
        json!({"session": "work", "url": site.url("/")}),
    );
    let first = mcp.ok("browser_run_code", json!({"code": "1"}))["tab"].clone();
    let opened = json!({"url": site.url("/two"), "tab": "new"});
    let second = mcp.ok("browser_navigate", opened)["tab"].clone();
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let mut driver = Driver::puppeteer(&env, &endpoint);
    let mut seen = |tab: &serde_json::Value| {
        let code = "[document.hasFocus(), document.visibilityState]";
        mcp.ok("browser_run_code", json!({"code": code, "tab": tab}))["value"].clone()
    };
    for (title, front, behind) in [("two", &second, &first), ("one", &first, &second)] {
        driver.run(&format!(
            "for (const each of await browser.pages()) if (await each.title() === '{title}') await each.bringToFront()"
        ));
        wait_until(title, SOON, || {
            seen(front) == json!([true, "visible"]) && seen(behind) == json!([false, "hidden"])
        });
    }
}
