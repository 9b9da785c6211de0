//! Pages do not notice shielded clients, and notice one without the shield.

use serde_json::{Value, json};

use crate::harness::{Driver, SOON, Site, TestEnv, wait_until};

/// Counts what an enabled `Runtime` does to the values that a page logs: getters beyond the two that
/// Chromium's own log reads, and requests for stacks. Also records the names under which scripts are
/// called.
const PAGE: &str = r#"<!doctype html><title>watched</title><input id=name><button onclick="document.title = 'pressed'">press</button><script>
  const seen = { logged: 0, getters: 0, stacks: 0 };
  class Trap extends Error {
    get name() { seen.getters++; return 'Trap'; }
    get message() { seen.getters++; return ''; }
  }
  Error.prepareStackTrace = (error, frames) => { seen.stacks++; return frames.map(String).join(); };
  window.watch = () => { seen.logged++; console.debug(new Trap()); console.debug(new Error('x')); };
  window.watch();
  setInterval(window.watch, 5);
  window.given = () => [seen.getters - 2 * seen.logged, seen.stacks, seen.logged > 20];
  window.callers = () => { const was = seen.stacks; const stack = new Error().stack; seen.stacks = was; return stack; };
</script>"#;

fn site() -> Site {
    Site::plan()
        .page("/", PAGE)
        .page("/next", "<title>next</title>")
        .page("/opener", OPENER)
        .page("/popup", POPUP)
        .serve()
}

/// Opens popups and records what they say they have.
const OPENER: &str = r#"<!doctype html><title>opener</title><script>
  const said = [];
  addEventListener('message', ({ data }) => said.push(data));
  const open_all = (elsewhere) => {
    window.kept = [open('/popup'), open('about:blank')];
    const script = kept[1].document.createElement('script');
    script.textContent = "opener.postMessage('blank ' + typeof chrome.app, '*')";
    kept[1].document.body.append(script);
    // Last, because messages from another process get lost while a popup is held.
    window.far = open(elsewhere);
  };
</script><button onclick="open_all(this.dataset.url)">open</button>"#;

/// Says so, and then fails.
const POPUP: &str = r#"<!doctype html><title>popup</title><script>
  opener.postMessage('page ' + typeof chrome.app, '*');
  if (location.hostname === 'localhost') setTimeout(() => { throw new TypeError('of a popup'); });
</script>"#;

/// Everything a script does in a day, on the shared page.
fn work(site: &Site, playwright: &mut Driver, puppeteer: &mut Driver) {
    let url = site.url("/");
    playwright.run("page.on('console', (it) => { state.text = it.text(); }); await page.exposeFunction('one', () => 1)");
    puppeteer.run("page.on('console', () => {}); page.on('pageerror', () => {}); await page.exposeFunction('two', () => 2)");
    playwright.run(&format!("await page.goto('{url}')"));
    puppeteer.run(&format!(
        "await page.waitForFunction((url) => location.href === url, {{}}, '{url}')"
    ));
    playwright.run("await page.locator('#name').fill('Ada'); await page.locator('button').click(); await page.waitForFunction(() => document.title === 'pressed')");
    assert_eq!(
        playwright.run("return page.evaluate(() => window.one())"),
        1
    );
    assert_eq!(puppeteer.run("return page.evaluate(() => window.two())"), 2);
    puppeteer.run("await page.locator('button').click(); await (await page.$('#name')).type('x'); await page.screenshot()");
    let handle = "const it = await page.evaluateHandle(() => ({ a: [1] })); return it.jsonValue()";
    assert_eq!(playwright.run(handle), json!({"a": [1]}));
    assert_eq!(puppeteer.run(handle), json!({"a": [1]}));
}

fn given(env: &TestEnv) -> Value {
    let main = [
        "run-code",
        "window.given()",
        "--world",
        "main",
        "-s",
        "work",
        "--json",
    ];
    wait_until("the page has looked for a while", SOON, || {
        env.szk(main).json()["value"][2] == true
    });
    env.szk(main).json()["value"].clone()
}

#[test]
fn pages_do_not_notice_clients() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    work(&site, &mut playwright, &mut puppeteer);
    assert_eq!(given(&env), json!([0, 0, true]));
    // Callers of the page's functions have no name.
    for driver in [&mut playwright, &mut puppeteer] {
        let stack = driver.run("return page.evaluate(() => window.callers())");
        let stack = stack.as_str().unwrap();
        assert!(
            !stack.contains("pptr") && !stack.contains("playwright"),
            "{stack}"
        );
    }
}

#[test]
fn popups_do_not_notice_that_somebody_was_there_before_them() {
    let env = TestEnv::new();
    let site = site();
    env.config("[browser]\nargs = [\"--disable-popup-blocking\"]\n");
    env.open("work");
    let endpoint = env.endpoint("work");
    let mut playwright = Driver::playwright(&env, &endpoint);
    let mut puppeteer = Driver::puppeteer(&env, &endpoint);
    playwright.run("state.errors = []; const on = (page) => { page.on('console', () => {}); page.on('pageerror', (error) => state.errors.push(error.message)); }; on(page); browser.contexts()[0].on('page', on)");
    puppeteer.run("browser.on('targetcreated', async (target) => { const page = await target.page(); page?.on('console', () => {}); })");
    playwright.run(&format!("await page.goto('{}')", site.url("/opener")));
    let elsewhere = site.url("/popup").replace("127.0.0.1", "localhost");
    playwright.run(&format!("await page.evaluate((url) => {{ document.querySelector('button').dataset.url = url; }}, '{elsewhere}'); await page.locator('button').click()"));
    let said = playwright.run("await page.waitForFunction(() => said.length === 3); return page.evaluate(() => said.sort())");
    assert_eq!(said, json!(["blank object", "page object", "page object"]));
    // From the next document on, the client hears of its errors.
    playwright.run(&format!("const far = browser.contexts()[0].pages().find((page) => page.url() === '{elsewhere}'); await far.reload()"));
    wait_until("the popup's error is heard", SOON, || {
        let heard = playwright.run("return state.errors");
        heard.as_array().unwrap().contains(&json!("of a popup"))
    });
}

#[test]
fn pages_notice_a_client_without_the_shield() {
    let env = TestEnv::new();
    let site = site();
    env.open("work");
    let open = env
        .szk(["endpoint", "work", "--no-shield", "--json"])
        .json();
    assert!(open["http_url"].as_str().unwrap().ends_with("/no-shield"));
    let mut playwright = Driver::playwright(&env, &open);
    playwright.run(&format!("await page.goto('{}')", site.url("/")));
    let seen = given(&env);
    assert!(
        seen[0].as_i64() > Some(0) && seen[1].as_i64() > Some(0),
        "{seen}"
    );
    // What it gains: arguments as objects.
    let argument =
        "const [it] = await Promise.all([page.waitForEvent('console', (it) => it.type() === 'log'),
        page.evaluate(() => { console.log('x', { a: 1 }); })]); return it.args()[1].jsonValue()";
    assert_eq!(playwright.run(argument), json!({"a": 1}));
    let clients = env.endpoint("work")["clients"].clone();
    assert_eq!(clients[0]["shield"], false, "{clients}");
}
