//! Playwright and Puppeteer from npm, unmodified, together with MCP on one page.

use serde_json::json;

use crate::harness::{Driver, PATIENTLY, SOON, Site, TestEnv, wait_until};

const PAGE: &str = r#"<!doctype html><title>form</title>
<label>Name <input id=name></label>
<button onclick="document.title = 'hello ' + document.querySelector('#name').value">Greet</button>
<button id=more onclick="window.open('/popup')">More</button>"#;

fn site() -> Site {
    Site::plan()
        .page("/", PAGE)
        .page("/popup", "<title>popup</title>")
        .page("/next", "<title>next</title>")
        .serve()
}

#[test]
fn each_sees_what_the_others_do() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);

    // All three on one page, which none of them reopened.
    assert_eq!(playwright.run("return page.url()"), site.url("/"));
    assert_eq!(puppeteer.run("return page.url()"), site.url("/"));
    playwright.run("await page.fill('#name', 'Ada')");
    assert_eq!(
        mcp.eval("work", "document.querySelector('#name').value"),
        "Ada"
    );
    puppeteer.run("await (await page.$('button')).click()");
    assert_eq!(
        playwright.run(
            "await page.waitForFunction(() => document.title !== 'form'); return page.title()"
        ),
        "hello Ada"
    );
    assert_eq!(mcp.eval("work", "document.title"), "hello Ada");

    // The others see one client's navigation.
    mcp.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/next")}),
    );
    let next = site.url("/next");
    playwright.run(&format!("await page.waitForURL('{next}')"));
    assert_eq!(playwright.run("return page.title()"), "next");
    wait_until("Puppeteer follows", SOON, || {
        puppeteer.run("return page.url()") == next.as_str()
    });
    assert_eq!(puppeteer.run("return page.title()"), "next");
    puppeteer.run(&format!("await page.goto('{}')", site.url("/")));
    assert_eq!(mcp.eval("work", "document.title"), "form");
    playwright.run(&format!("await page.waitForURL('{}')", site.url("/")));

    // A popup belongs to all of them.
    playwright.run(
        "const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#more')]);
         await popup.waitForLoadState(); state.popup = popup",
    );
    assert_eq!(playwright.run("return state.popup.title()"), "popup");
    let tabs = env.row("work").unwrap()["tabs"].clone();
    assert_eq!(tabs.as_array().map(Vec::len), Some(2), "{tabs}");
    assert_eq!(puppeteer.run("return (await browser.pages()).length"), 2);

    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn pages_that_a_driver_opens_are_everybodys() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    playwright.run(&format!(
        "state.own = await browser.contexts()[0].newPage(); await state.own.goto('{}'); await state.own.fill('#name', 'Eve')",
        site.url("/"),
    ));
    wait_until("Puppeteer sees the page", SOON, || {
        puppeteer
            .run("return (await browser.pages()).map(page => page.url())")
            .to_string()
            .contains(&site.origin())
    });
    puppeteer.run(&format!(
        "state.mine = await browser.newPage(); await state.mine.goto('{}')",
        site.url("/next")
    ));
    wait_until("the list has all three", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_some_and(|tabs| tabs.len() == 3)
    });
    let picture = playwright.run("return (await state.own.screenshot()).length");
    assert!(picture.as_u64().unwrap() > 1000);
    // Neither is behind the other: each has its own window.
    let seen = "return page.evaluate(() => document.visibilityState)";
    let of = |page: &str| seen.replace("page", page);
    assert_eq!(playwright.run(&of("state.own")), "visible");
    assert_eq!(puppeteer.run(&of("state.mine")), "visible");
    playwright.run("await state.own.close()");
    wait_until("it is gone for all", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_some_and(|tabs| tabs.len() == 2)
    });
}

#[test]
fn one_that_leaves_takes_nothing_with_it() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    // What users write at the end of a script.
    playwright.run("await browser.close()");
    assert_eq!(puppeteer.run("return page.title()"), "form");
    drop(playwright);
    assert_eq!(
        puppeteer.run("await page.goto(page.url()); return page.title()"),
        "form"
    );
    // Puppeteer's `close` asks the browser to end: it ends only its own connection.
    puppeteer.run("await browser.close()");
    assert_eq!(env.eval("work", "document.title"), "form");
    let mut again = Driver::puppeteer(&env, &env.endpoint("work"));
    assert_eq!(again.run("return page.title()"), "form");
    // And one that is killed in the middle of something.
    let id = again.post("await page.evaluate(() => new Promise(() => {}))");
    drop(again);
    let _ = id;
    assert_eq!(env.eval("work", "document.title"), "form");
    wait_until("no client is connected", PATIENTLY, || {
        env.endpoint("work")["clients"]
            .as_array()
            .is_none_or(Vec::is_empty)
    });
    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn a_script_under_szk_run_joins_by_the_environment() {
    let env = TestEnv::new();
    let site = site();
    let script = env.work().join("script.mjs");
    let packages =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/node_modules");
    std::os::unix::fs::symlink(packages, env.work().join("node_modules")).unwrap();
    let text = format!(
        "import {{ chromium }} from 'playwright-core';
         const browser = await chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT);
         const page = browser.contexts()[0].pages()[0];
         await page.goto('{}');
         console.log(process.env.SZK_SESSION, await page.title());
         await browser.close();",
        site.url("/"),
    );
    std::fs::write(&script, text).unwrap();
    let ended = env.szk(["run", "work", "--", "node", "script.mjs"]).ok();
    assert_eq!(ended.stdout, "work form\n");
    assert_eq!(env.eval("work", "document.title"), "form");
}
