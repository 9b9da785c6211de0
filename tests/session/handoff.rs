//! `session_handoff`: a person takes over the page from their own browser.

use serde_json::{Value, json};

use crate::harness::{Driver, PATIENTLY, Site, TestEnv, http, wait_until};

const PAGE: &str = r#"<!doctype html><title>login</title><style>body { margin: 0 } input, button { position: absolute; left: 100px; width: 300px; height: 40px }</style>
<input id=code style="top: 100px">
<button id=send style="top: 200px" onclick="document.title = prompt('Sure?', 'yes') + ' ' + document.querySelector('#code').value">Send</button>
<button id=more style="top: 300px" onclick="window.open('/second')">More</button>"#;

/// Two profiles: the one handed off, and the person's.
struct Two {
    env: TestEnv,
    person: Driver,
    url: String,
    _site: Site,
}

impl Two {
    fn meet(reason: &str) -> Self {
        let env = TestEnv::new();
        let site = Site::plan()
            .page("/", PAGE)
            .page("/second", "<title>second</title><p>two")
            .serve();
        env.open("work");
        env.navigate("work", &site.url("/"));
        let told = env
            .szk(["handoff", "work", "--reason", reason, "--no-wait", "--json"])
            .json();
        assert_eq!(told["state"], "waiting");
        assert_eq!(told["window"], false);
        let url = told["url"].as_str().expect("a link").to_owned();
        env.open("person");
        let mut person = Driver::playwright(&env, &env.endpoint("person"));
        person.run(&format!(
            "await page.goto('{url}'); await page.waitForFunction(() => document.querySelector('#screen').width > 500)"
        ));
        Self {
            env,
            person,
            url,
            _site: site,
        }
    }

    /// Clicks the picture at this point of the page.
    fn click(&mut self, x: u32, y: u32) {
        self.person.run(&format!(
            "const box = await page.locator('#screen').boundingBox(); const scale = await page.evaluate(() => size);
             await page.mouse.click(box.x + {x} * box.width / scale.width, box.y + {y} * box.height / scale.height)"
        ));
    }

    #[track_caller]
    fn wait_for_page(&self, code: &str, expected: &Value) {
        wait_until(code, PATIENTLY, || self.env.eval("work", code) == *expected);
    }
}

/// Waits until the page has the person's answer.
#[track_caller]
fn answered(env: &TestEnv) {
    let logs = ["logs", "--kind", "dialogs", "-s", "work", "--json"];
    wait_until("the answer", PATIENTLY, || {
        env.szk(logs).json()["entries"][0]["accepted"] == true
    });
}

#[test]
fn a_person_types_clicks_and_says_that_they_are_done() {
    let mut two = Two::meet("Please enter the code <b>42</b>");
    two.env
        .szk(["recipe", "record", "start", "code", "-s", "work"])
        .ok();
    let waiting = two.env.szk(["handoff", "work", "--json"]).start();
    assert_eq!(
        two.person.run("return page.textContent('#reason')"),
        "Please enter the code <b>42</b>",
        "text, not markup"
    );
    // The picture is not blank.
    let colours = "return page.evaluate(() => new Set(paint.getImageData(0, 0, screen_.width, screen_.height).data).size)";
    assert!(two.person.run(colours).as_u64().unwrap() > 2);
    two.click(250, 120);
    two.person.run("await page.keyboard.type('Code 42!')");
    two.wait_for_page("document.querySelector('#code').value", &json!("Code 42!"));
    two.person.run("await page.keyboard.press('Backspace')");
    two.wait_for_page("document.querySelector('#code').value", &json!("Code 42"));
    // The person sees a dialog of the page and answers it.
    two.click(250, 220);
    two.person.run(
        "await page.waitForSelector('#dialog[open]'); await page.fill('#dialog-text', 'certainly'); await page.click('#dialog-accept')",
    );
    answered(&two.env);
    two.wait_for_page("document.title", &json!("certainly Code 42"));
    // What was done in the live view was recorded.
    let recorded = two
        .env
        .szk(["recipe", "record", "stop", "code", "-s", "work", "--json"])
        .json();
    let text = recorded["text"].as_str().unwrap();
    let done: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("do = "))
        .collect();
    assert_eq!(
        done,
        ["do = \"navigate\"", "do = \"fill\"", "do = \"click\""],
        "{text}"
    );
    assert!(text.contains("name = \"Send\""), "{text}");
    two.person
        .run("await page.fill('#note', ' all well '); await page.click('#done'); await page.waitForSelector('body.over')");
    let ended = waiting.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["state"], "done");
    assert_eq!(told["note"], "all well");
    assert!(told.get("url").is_none(), "the link is dead: {told}");
    let (port, _) = http::parts(&two.url);
    wait_until("the door is shut", PATIENTLY, || !http::is_open(port));
}

/// A question that the page asked before the person came is also shown, and waits for them: longer
/// than an unseen question does, because their browser takes a while to start.
#[test]
fn a_question_that_is_open_is_handed_over() {
    let env = TestEnv::new();
    env.config("[session]\ndialog_seconds = 1\n");
    let site = Site::of(PAGE);
    env.open("work");
    env.navigate("work", &site.url("/"));
    let hand_over = [
        "handoff",
        "work",
        "--reason",
        "Decide",
        "--no-wait",
        "--json",
    ];
    let told = env.szk(hand_over).json();
    let did = env
        .szk(["act", "click", "#send", "-s", "work", "--json"])
        .json();
    assert_eq!(did["dialogs"][0]["message"], "Sure?", "{did}");
    env.open("person");
    let mut person = Driver::playwright(&env, &env.endpoint("person"));
    let url = told["url"].as_str().expect("a link");
    person.run(&format!(
        "await page.goto('{url}'); await page.waitForSelector('#dialog[open]');
         await page.fill('#dialog-text', 'decided'); await page.click('#dialog-accept')"
    ));
    answered(&env);
    assert_eq!(env.eval("work", "document.title"), "decided");
}

#[test]
fn tabs_that_open_are_shown_and_can_be_left() {
    let mut two = Two::meet("Look around");
    two.click(250, 320);
    two.person.run(
        "await page.waitForFunction(() => document.querySelectorAll('#tabs button').length === 2 && document.querySelector('#address').textContent.endsWith('/second'))",
    );
    two.person.run(
        "await page.click('#tabs button >> nth=0'); await page.waitForFunction(() => !document.querySelector('#address').textContent.endsWith('/second'))",
    );
    // A second viewer gets the view, and the first one is told.
    two.person.run(&format!(
        "state.second = await page.context().newPage(); await state.second.goto('{}');
         await state.second.waitForFunction(() => document.querySelector('#screen').width > 500);
         await page.waitForSelector('body.over'); await state.second.click('#give-up')",
        two.url
    ));
    let told = two.env.szk(["handoff", "work", "--json"]).json();
    assert_eq!(told["state"], "given_up");
    two.env
        .szk(["handoff", "work", "--done"])
        .fails("NOT_FOUND");
}

#[test]
fn nobody_else_gets_in() {
    let env = TestEnv::new();
    env.open("work");
    let told = env.szk(["handoff", "work", "--no-wait", "--json"]).json();
    let (port, path) = http::parts(told["url"].as_str().unwrap());
    let host = format!("127.0.0.1:{port}");
    let ask =
        |path: &str, headers: &[(&str, &str)]| http::request(port, "GET", path, headers).status;
    assert_eq!(ask(&path, &[("Host", &host)]), 200);
    assert_eq!(ask("/", &[("Host", &host)]), 404);
    assert_eq!(ask("/0000/", &[("Host", &host)]), 404);
    assert_eq!(ask(&path, &[("Host", "evil.test")]), 404);
    assert_eq!(ask(&path, &[]), 404);
    let evil = [("Host", host.as_str()), ("Origin", "https://evil.test")];
    assert_eq!(ask(&path, &evil), 404);
    assert_eq!(ask(&format!("{path}live"), &evil), 404);
    // A new reason is a new hand-off; the old link stops working.
    let again = env
        .szk(["handoff", "work", "-r", "other", "--no-wait", "--json"])
        .json();
    assert_ne!(again["url"], told["url"]);
    wait_until("the old door is shut", PATIENTLY, || !http::is_open(port));
    assert_eq!(
        env.szk(["handoff", "work", "--done", "--json"]).json()["state"],
        "done"
    );
    // A caller that starts waiting only now is told, once.
    let mut mcp = env.mcp();
    let wait = json!({"session": "work", "wait": true});
    assert_eq!(mcp.ok("session_handoff", wait.clone())["state"], "done");
    mcp.fails("session_handoff", wait, "NOT_FOUND");
    // It waits no longer than it was told to.
    env.szk(["handoff", "work", "-r", "third", "--no-wait"])
        .ok();
    let told = env
        .szk(["handoff", "work", "--timeout-ms", "200", "--json"])
        .json();
    assert_eq!(told["state"], "waiting");
}
