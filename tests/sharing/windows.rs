//! Programs work in background tabs, in windows that others do not notice.

use serde_json::json;

use crate::harness::{Display, Driver, PATIENTLY, SOON, Site, TestEnv, wait_until};

const PAGE: &str = r#"<!doctype html><title>form</title>
<button id=b onclick="document.title = 'clicked'">press</button>
<button id=more onclick="window.open('/')">more</button>"#;

fn site() -> Site {
    Site::plan().page("/", PAGE).page("/other", PAGE).serve()
}

/// What a page sees of its window.
const WINDOW: &str = "JSON.stringify([document.visibilityState, screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight])";

/// A window covered by others is hidden, as it would be for a person, and shown to a program that
/// works in it.
#[test]
fn on_a_display_covered_windows_are_worked_in() {
    let display = Display::start();
    let mut env = TestEnv::new();
    env.set("DISPLAY", display.name());
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let code = "state.all = await Promise.all(Array.from({ length: 4 }, async () => {
        const other = await browser.contexts()[0].newPage();
        await other.goto('URL');
        return other;
    }));
    for (const other of [page, ...state.all]) await other.click('#b');
    return Promise.all(state.all.map(async (other) => [await other.title(), await other.evaluate('outerWidth')]))"
        .replace("URL", &site.url("/other"));
    let width = env.eval_main("work", "outerWidth");
    let pages = playwright.run(&code);
    for page in pages.as_array().unwrap() {
        assert_eq!(*page, json!(["clicked", width]), "{pages:#}");
    }
}

#[test]
fn pages_of_ten_programs_are_clicked_at_once() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let window = env.eval_main("work", WINDOW);
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let code = "state.all = await Promise.all(Array.from({ length: 10 }, async () => {
        const browser = await lib.chromium.connectOverCDP(process.env.SZK_CDP_ENDPOINT);
        const page = await browser.contexts()[0].newPage();
        await page.goto('URL');
        return { browser, page };
    }));
    await Promise.all(state.all.map(({ page }) => page.click('#b')));
    await page.click('#b');
    return Promise.all(state.all.map(async ({ page }) => [await page.title(), await page.evaluate(WINDOW)]))"
        .replace("URL", &site.url("/other"))
        .replace("WINDOW", &format!("{WINDOW:?}"));
    let pages = playwright.run(&code);
    // Each has a window like the profile's, on the screen.
    for page in pages.as_array().unwrap() {
        assert_eq!(*page, json!(["clicked", window]), "{pages:#}");
    }
    let seen = playwright.run("return page.evaluate(() => document.visibilityState)");
    assert_eq!(seen, "visible", "nor is the profile's tab hidden");
    playwright.run("for (const { page } of state.all) await page.close(); for (const { browser } of state.all) await browser.close()");
    wait_until("their pages are closed", SOON, || {
        env.row("work").unwrap()["tabs"].as_array().unwrap().len() == 1
    });
}

#[test]
fn a_tab_behind_others_is_worked_in() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    for _ in 0..2 {
        env.szk(["tabs", "open", &site.url("/other"), "-s", "work"])
            .ok();
    }
    let endpoint = env.endpoint("work");
    // Existing tabs, all in one window: each used by one program, at the same time.
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    assert_eq!(
        playwright.run("return page.url()"),
        site.url("/other"),
        "the current tab"
    );
    assert_eq!(puppeteer.run("return page.url()"), site.url("/other"));
    let mine = playwright.post("await browser.contexts()[0].pages()[1].click('#b')");
    let theirs = puppeteer.post("const all = await browser.pages(); await all[2].locator('#b').click(); await page.click('#b')");
    playwright.answer(mine).unwrap();
    puppeteer.answer(theirs).unwrap();
    let clicked = "return Promise.all(browser.contexts()[0].pages().map((page) => page.title()))";
    assert_eq!(
        playwright.run(clicked),
        json!(["clicked", "clicked", "clicked"])
    );

    // A popup hides the page that opened it.
    let popup =
        "const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#more')]);
        await popup.waitForLoadState();
        await popup.click('#b');
        await page.click('#b');
        await popup.close();
        return page.title()";
    assert_eq!(playwright.run(popup), "clicked");
}

#[test]
fn a_size_that_a_program_gave_a_window_goes_with_it() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    env.navigate("work", &site.url("/"));
    let before = env.eval("work", "[innerWidth, innerHeight]");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let sized = "await page.setViewportSize({ width: 700, height: 400 });
        await page.waitForFunction(() => innerWidth === 700 && innerHeight === 400);
        return true";
    assert_eq!(playwright.run(sized), true);
    drop(playwright);
    wait_until("it is as it was", PATIENTLY, || {
        env.eval("work", "[innerWidth, innerHeight]") == before
    });
}
