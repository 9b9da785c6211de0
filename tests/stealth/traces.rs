//! A page does not see what szk does with it: it watches everything it can while szk does everything
//! it can.

use serde_json::{Value, json};

use crate::harness::{Driver, Mcp, SOON, Site, TestEnv, wait_until};

/// The page: hooks on what it finds, observers on the rest. `seen` counts by name.
const PAGE: &str = include_str!("../../crates/detectors/pages/solo/watched.html");

fn site() -> Site {
    Site::plan()
        .page("/", PAGE)
        .page("/other", "<title>other</title>")
        .serve()
}

/// What the page has seen since the last query. Querying does not count.
#[track_caller]
fn seen(mcp: &mut Mcp) -> Value {
    let code = json!({"code": "takeSeen()", "world": "main"});
    mcp.ok("browser_run_code", code)["value"].clone()
}

/// The page once it has settled: its own first events are over.
fn watched(env: &TestEnv, site: &Site) -> Mcp {
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok(
        "browser_navigate",
        json!({"session": "work", "url": site.url("/")}),
    );
    wait_until("the page is quiet", SOON, || seen(&mut mcp) == json!({}));
    mcp
}

#[test]
fn operations_are_not_seen() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    let path = env.work().join("page.png");
    let operations: Vec<(&str, Value)> = vec![
        (
            "browser_run_code",
            json!({"code": "document.querySelectorAll('*').length"}),
        ),
        (
            "browser_run_code",
            json!({"code": "document.querySelector('#box').getBoundingClientRect().width"}),
        ),
        (
            "browser_run_code",
            json!({"code": "globalThis.mine = 1; document.mine = 2; return [1].map(one => one + 1)"}),
        ),
        ("browser_screenshot", json!({})),
        ("browser_screenshot", json!({"selector": "#box"})),
        (
            "browser_screenshot",
            json!({"selector": "#box", "format": "jpeg", "path": path}),
        ),
        ("session_list", json!({})),
        ("session_state", json!({"action": "export"})),
        ("session_endpoint", json!({})),
    ];
    for (operation, input) in operations {
        mcp.ok(operation, input.clone());
        assert_eq!(seen(&mut mcp), json!({}), "{operation} {input}");
    }
}

#[test]
fn neither_is_the_command_line_nor_the_saver() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    env.eval("work", "document.title");
    env.szk(["screenshot", "-s", "work", "--out", "page.png"])
        .ok();
    env.szk(["list"]).ok();
    assert_eq!(seen(&mut mcp), json!({}), "commands");
    // The page's own storage is saved without asking the page.
    mcp.ok(
        "browser_run_code",
        json!({"code": "quietly(() => localStorage.setItem('key', 'saved-by-the-saver'))", "world": "main"}),
    );
    let state = env.in_profile("work", "state.json");
    wait_until("the state is saved", SOON, || {
        std::fs::read_to_string(&state).is_ok_and(|text| text.contains("saved-by-the-saver"))
    });
    assert_eq!(seen(&mut mcp), json!({}), "the saver");
}

/// The known effects of screenshots beyond the viewport: Chromium 156 resizes the page for them.
const BEYOND: [&str; 7] = [
    "event resize",
    "viewport resize",
    "media (min-",
    "media (max-",
    "resized ",
    "intersects ",
    "sizes ",
];

#[test]
fn a_picture_of_what_is_not_visible_changes_the_size_and_nothing_else() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    for input in [json!({"full_page": true}), json!({"selector": "#far"})] {
        mcp.ok("browser_screenshot", input.clone());
        let seen = seen(&mut mcp);
        let names = seen.as_object().expect("counts by name").keys();
        let others: Vec<&String> = names
            .filter(|name| !BEYOND.iter().any(|known| name.starts_with(known)))
            .collect();
        assert!(others.is_empty(), "{input}: {others:?}");
    }
    assert_eq!(
        mcp.eval("work", "[innerWidth, innerHeight, scrollY]"),
        json!([1480, 853, 0])
    );
    // A page that fits its window is entirely visible.
    mcp.ok("browser_run_code", json!({"code": "quietly(() => { document.body.style.height = '10px'; document.getElementById('far').remove(); })", "world": "main"}));
    wait_until("the page is small, and has seen that it is", SOON, || {
        seen(&mut mcp)["resized root"].is_number()
    });
    wait_until("the page is quiet", SOON, || seen(&mut mcp) == json!({}));
    mcp.ok("browser_screenshot", json!({"full_page": true}));
    assert_eq!(seen(&mut mcp), json!({}));
}

#[test]
fn nor_is_a_second_front() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    let mut other = env.mcp();
    other.ok("session_open", json!({"session": "work"}));
    other.ok("session_list", json!({}));
    drop(other);
    assert_eq!(seen(&mut mcp), json!({}));
}

#[test]
fn a_program_that_joins_late_is_not_seen() {
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let joins: [fn(&TestEnv, &Value) -> Driver; 2] = [Driver::playwright, Driver::puppeteer];
    for join in joins {
        let mut driver = join(&env, &endpoint);
        let title = driver.run("page.on('console', () => {}); return page.title()");
        assert_eq!(title, "watched");
        drop(driver);
        assert_eq!(seen(&mut mcp), json!({}));
    }
}

#[test]
fn a_driver_that_works_as_drivers_do_is_seen() {
    // Proof that the page can see: what it does not report above did not happen.
    let env = TestEnv::new();
    let site = site();
    let mut mcp = watched(&env, &site);
    let endpoint = mcp.ok("session_endpoint", json!({"session": "work"}));
    let mut driver = Driver::playwright(&env, &endpoint);
    driver.run("await page.evaluate(() => { document.querySelector('#box').setAttribute('data-seen', '1') })");
    driver.run("await page.evaluate(() => { dispatchEvent(new Event('resize')) })");
    driver.run("await page.setViewportSize({width: 700, height: 500})");
    driver.run("await page.screenshot({fullPage: true})");
    let seen = seen(&mut mcp);
    for name in [
        "call Document.querySelector",
        "mutation attributes",
        "event resize",
        "call EventTarget.dispatchEvent",
    ] {
        assert!(seen[name].is_number(), "{name}: {seen:#}");
    }
}
