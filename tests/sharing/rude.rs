//! Clients that misbehave: the others do not notice.

use serde_json::{Value, json};

use crate::harness::{Driver, PATIENTLY, Site, TestEnv, wait_until};

const PAGE: &str = "<!doctype html><title>page</title>";

/// Two clients on one profile: Puppeteer is the well-behaved one.
fn two(env: &TestEnv, site: &Site) -> (Driver, Driver) {
    env.open("work");
    env.navigate("work", &site.url("/"));
    let endpoint = env.endpoint("work");
    let rude = Driver::raw(env, &endpoint);
    let polite = Driver::puppeteer(env, &endpoint);
    (rude, polite)
}

fn site() -> Site {
    Site::of(PAGE)
}

fn count(env: &TestEnv) -> usize {
    let clients = env.endpoint("work")["clients"].clone();
    clients.as_array().map_or(0, Vec::len)
}

fn log(env: &TestEnv) -> String {
    std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap_or_default()
}

#[test]
fn one_that_never_resumes_holds_nobody_for_long() {
    let env = TestEnv::new();
    let site = site();
    let (mut rude, mut polite) = two(&env, &site);
    rude.run("await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, await first())");
    // A worker starts once every client lets it.
    let said = polite.run(
        "return page.evaluate(() => new Promise((done) => {
            const source = URL.createObjectURL(new Blob(['postMessage(42)']));
            new Worker(source).onmessage = (event) => done(event.data);
        }))",
    );
    assert_eq!(said, 42);
    assert!(log(&env).contains("left a target paused"), "{}", log(&env));
}

#[test]
fn one_that_never_reads_is_dropped() {
    let env = TestEnv::new();
    let site = site();
    let (mut rude, mut polite) = two(&env, &site);
    // It asks for more than may wait for it and reads none of it.
    rude.run(
        "const id = await first(); socket.pause(); for (let n = 0; n < 60; n++)
        post('Runtime.evaluate', { expression: '\"x\".repeat(5e6)', returnByValue: true }, id)",
    );
    // 300 MB of answers are much for a machine with other tests.
    let dropped = || log(&env).contains("does not read");
    wait_until("it is dropped", PATIENTLY * 3, dropped);
    wait_until("it is gone", PATIENTLY, || count(&env) == 1);
    assert_eq!(polite.run("return page.title()"), "page");
}

#[test]
fn garbage_and_messages_without_end_stay_with_their_sender() {
    let env = TestEnv::new();
    let site = site();
    let (mut rude, mut polite) = two(&env, &site);
    let answers = rude.run("return garbage(['nonsense', '{}', '[1', '5', '\\0'])");
    assert_eq!(answers.as_array().map(Vec::len), Some(5), "{answers}");
    assert_eq!(polite.run("return page.title()"), "page");
    rude.run("socket.send('x'.repeat(101 * 1024 * 1024))");
    wait_until("it is dropped", PATIENTLY, || count(&env) == 1);
    assert!(log(&env).contains("TooBig"), "{}", log(&env));
    assert_eq!(polite.run("return page.title()"), "page");
}

#[test]
fn one_that_would_stop_a_page_or_its_input_is_refused() {
    let env = TestEnv::new();
    let site = Site::of(
        "<!doctype html><title>page</title><button onclick=\"document.title = 'clicked'\">go</button>",
    );
    let (mut rude, _polite) = two(&env, &site);
    let screens = "[screen.isExtended, document.visibilityState]";
    let before = env.eval("work", screens);
    let refused = rude.run(
        "const id = await first();
        await send('Page.enable', {}, id);
        const why = ([method, params]) => send(method, params, id).then(() => `${method} passed`, ({ message }) => message);
        return Promise.all([
            ['Page.waitForDebugger', {}],
            ['Page.setWebLifecycleState', { state: 'frozen' }],
            ['Input.setIgnoreInputEvents', { ignore: true }],
            ['Emulation.addScreen', { left: 1920, top: 0, width: 800, height: 600 }],
            ['Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' }],
        ].map(why))",
    );
    for why in refused.as_array().unwrap() {
        assert!(why.as_str().unwrap().contains("is refused"), "{refused:#}");
    }
    env.szk(["act", "click", "button", "-s", "work"]).ok();
    assert_eq!(env.eval("work", "document.title"), "clicked");
    drop(rude);
    wait_until("it is gone", PATIENTLY, || count(&env) == 1);
    let timer = "new Promise((done) => setTimeout(() => done('fired'), 10))";
    assert_eq!(env.eval("work", timer), "fired");
    assert_eq!(env.eval("work", screens), before);
}

#[test]
fn nothing_of_the_others_can_be_reached() {
    let env = TestEnv::new();
    let site = site();
    let (mut rude, mut polite) = two(&env, &site);
    let context =
        polite.run("state.context = await browser.createBrowserContext(); return state.context.id");
    let session =
        polite.run("state.session = await page.createCDPSession(); return state.session.id()");
    let error = rude.throws(&format!(
        "await send('Target.disposeBrowserContext', {{ browserContextId: {context} }})"
    ));
    assert!(error.contains("not created by this client"), "{error}");
    let error = rude.throws(&format!(
        "await send('Runtime.evaluate', {{ expression: '1' }}, {session})"
    ));
    assert!(error.contains("Session with given id not found"), "{error}");
    rude.run("post('Browser.close')");
    wait_until("only itself is closed", PATIENTLY, || count(&env) == 1);
    polite.run("await (await state.context.newPage()).close(); await state.context.close()");
    assert_eq!(polite.run("return page.title()"), "page");
    assert_eq!(env.browsers().len(), 1);
}

#[test]
fn one_that_is_sent_away_is_gone_and_told_why() {
    let env = TestEnv::new();
    let site = site();
    let (mut rude, mut polite) = two(&env, &site);
    rude.run("await send('Target.getBrowserContexts')");
    let clients = env.endpoint("work")["clients"].clone();
    let names: Vec<&str> = clients
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(names.len(), 2, "{clients}");
    let row = env.row("work").unwrap()["clients"].to_string();
    assert!(row.contains("(endpoint)"), "{row}");
    env.szk(["endpoint", "work", "--disconnect", "1"]).ok();
    let code = rude.run("return closed");
    assert_eq!(
        code,
        json!({"code": 1008, "reason": "disconnected by the owner of the profile"})
    );
    assert_eq!(polite.run("return page.title()"), "page");
    let failure: Value = env
        .szk(["endpoint", "work", "--disconnect", "99"])
        .fails("NOT_FOUND");
    assert!(
        failure["message"].as_str().unwrap().contains("99"),
        "{failure}"
    );
}
