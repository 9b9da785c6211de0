//! `[policy] approve` with `submit`, `origin`, `download` and `close`: what acts do by themselves, what a
//! script, a redirect or a server makes of them, and a person who answers in the live view.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::{Answer, Driver, PATIENTLY, Site, TestEnv, script, wait_until};

/// Two sites: what acts lead to, and where they start.
struct Two {
    env: TestEnv,
    here: Site,
    there: Site,
}

impl Two {
    fn with(approve: &str) -> Self {
        let env = TestEnv::new();
        env.config(&format!("[policy]\napprove = [{approve}]\n"));
        let there = Site::of("<title>elsewhere</title>");
        let url = there.url("/");
        let page = format!(
            "<title>here</title><form action=/sent method=post><input name=q aria-label=Query>
             <label>Note <textarea name=n></textarea></label><button>Send</button></form>
             <button type=button id=plain onclick=\"document.title = 'pressed'\">Plain</button>
             <a id=away href='{url}'>Away</a><a id=near href='/near'>Near</a>
             <button type=button id=script onclick=\"location = '{url}'\">Script</button>
             <a id=file href='/file'>File</a>"
        );
        let here = Site::plan()
            .page("/", &page)
            .page("/near", "<title>near</title>")
            .page("/sent", "<title>sent</title>")
            .on("/redirect", move |_| Answer::redirect(&url))
            .on("/file", |_| {
                Answer::html("text")
                    .header("content-disposition", "attachment; filename=\"report.txt\"")
            })
            .serve();
        Self { env, here, there }
    }

    /// Makes calls in `work`, which starts at the first page; answers questions in this order.
    fn run(&self, calls: &[(&str, Value)], answers: &[&str]) -> Vec<Value> {
        self.env.open("work");
        // A program at the endpoint needs no approval.
        let mut driver = Driver::playwright(&self.env, &self.env.endpoint("work"));
        driver.run(&format!("await page.goto('{}')", self.here.url("/")));
        drop(driver);
        let calls: Vec<Value> = calls
            .iter()
            .map(|(tool, input)| {
                let mut input = input.clone();
                input["session"] = json!("work");
                json!([tool, input])
            })
            .collect();
        let args = [
            env!("CARGO_BIN_EXE_szk"),
            &json!(calls).to_string(),
            &json!(answers).to_string(),
        ];
        let said = script(&self.env, "mcp-steps.mjs", &args);
        said["results"].as_array().unwrap().clone()
    }

    fn requests(site: &Site, path: &str) -> usize {
        let asked = site.asked();
        asked.iter().filter(|asked| asked.path == path).count()
    }
}

fn act(kind: &str, selector: &str) -> (&'static str, Value) {
    ("browser_act", json!({"kind": kind, "selector": selector}))
}

fn press(key: &str, selector: &str) -> (&'static str, Value) {
    (
        "browser_act",
        json!({"kind": "press", "key": key, "selector": selector}),
    )
}

/// Nobody was asked, and it worked.
#[track_caller]
fn unasked(result: &Value) {
    assert_eq!(result["isError"], false, "{result:#}");
    assert_eq!(result["asked"], json!([]), "{result:#}");
}

/// The person was asked about these, in this order, and let them happen.
#[track_caller]
fn allowed(result: &Value, questions: &[&str]) {
    assert_eq!(result["isError"], false, "{result:#}");
    asked(result, questions);
}

/// The person was asked about this, and said no.
#[track_caller]
fn declined(result: &Value, question: &str) {
    asked(result, &[question]);
    let text = result["text"].as_str().unwrap();
    assert!(text.contains("the person said no"), "{text}");
    assert!(text.contains("NEEDS_APPROVAL"), "{text}");
}

#[track_caller]
fn asked(result: &Value, questions: &[&str]) {
    let asked = result["asked"].as_array().unwrap();
    assert_eq!(asked.len(), questions.len(), "{result:#}");
    for (asked, expected) in asked.iter().zip(questions) {
        let asked = asked.as_str().unwrap();
        assert!(asked.contains(expected), "{asked}\nhas no {expected}");
    }
}

#[test]
fn a_form_is_sent_only_when_the_person_agrees() {
    let two = Two::with("\"submit\"");
    let all = two.run(
        &[
            act("click", "#plain"),
            press("a", "input"),
            press("Enter", "textarea"),
            act("click", "form button"),
            press("Enter", "input"),
            (
                "browser_act",
                json!({"kind": "type", "selector": "input", "text": "x\n"}),
            ),
            (
                "workflow_fill_form",
                json!({"fields": [{"field": "Query", "value": "1"}], "submit": true}),
            ),
            (
                "workflow_fill_form",
                json!({"fields": [{"field": "Query", "value": "2"}]}),
            ),
            act("click", "form button"),
        ],
        &["decline", "decline", "decline", "decline", "accept"],
    );
    let [plain, key, line, click, enter, typed, form, fill, sent] = all.as_slice() else {
        panic!("{all:#?}");
    };
    unasked(plain);
    unasked(key);
    unasked(line);
    let to = format!("submit a form to `{}`", two.here.url("/sent"));
    declined(click, &to);
    declined(enter, &to);
    declined(typed, &to);
    declined(form, "fill `Query` and submit the form");
    unasked(fill);
    allowed(sent, &[&to]);
    assert_eq!(Two::requests(&two.here, "/sent"), 1);
    let asked = two.here.asked();
    let sent = asked.iter().find(|asked| asked.path == "/sent").unwrap();
    assert_eq!(
        sent.field("q"),
        "2",
        "nothing was typed by what was refused"
    );
}

#[test]
fn a_tab_leaves_its_origin_only_when_the_person_agrees() {
    let two = Two::with("\"origin\"");
    let back = || ("browser_navigate", json!({"url": two.here.url("/")}));
    let away = ("browser_navigate", json!({"url": two.there.url("/")}));
    let redirect = (
        "browser_navigate",
        json!({"url": two.here.url("/redirect")}),
    );
    let open = json!({"action": "open", "url": two.there.url("/")});
    let all = two.run(
        &[
            act("click", "#near"),
            back(),
            away,
            act("click", "#away"),
            act("click", "#script"),
            redirect.clone(),
            ("browser_tabs", open),
        ],
        &["decline", "decline", "decline", "decline", "decline"],
    );
    let to = format!("go to `{}`", two.there.url("/"));
    let [near, back_home, refused @ ..] = all.as_slice() else {
        panic!("{all:#?}");
    };
    unasked(near);
    unasked(back_home);
    assert_eq!(refused.len(), 5);
    for one in refused {
        declined(one, &to);
    }
    assert_eq!(Two::requests(&two.there, "/"), 0, "nothing reached it");
    // A yes to each: a script and a redirect are asked about once they are known.
    for step in [act("click", "#away"), act("click", "#script"), redirect] {
        let before = Two::requests(&two.there, "/");
        let all = two.run(&[step], &["accept"]);
        allowed(&all[0], &[&to]);
        assert_eq!(Two::requests(&two.there, "/"), before + 1);
    }
}

#[test]
fn a_file_is_downloaded_only_when_the_person_agrees() {
    let two = Two::with("\"download\"");
    let file = two.env.in_profile("work", "downloads/report.txt");
    let all = two.run(&[act("click", "#file")], &["decline"]);
    declined(&all[0], "download \"report.txt\"");
    let entries = || {
        let logs = ["logs", "--kind", "downloads", "-s", "work", "--json"];
        let entries = two.env.szk(logs).json()["entries"].clone();
        entries.as_array().unwrap().clone()
    };
    let states = || {
        let states = entries().into_iter().map(|entry| entry["state"].clone());
        states.collect::<Vec<_>>()
    };
    wait_until("it is stopped", PATIENTLY, || states() == ["canceled"]);
    assert!(!file.exists());
    let all = two.run(&[act("click", "#file")], &["accept"]);
    allowed(&all[0], &["download \"report.txt\""]);
    wait_until("its end", PATIENTLY, || {
        states() == ["canceled", "canceled", "completed"]
    });
    // The browser numbers a file whose name a stopped one had.
    let path = entries()[2]["path"].as_str().unwrap().to_owned();
    assert!(std::fs::exists(&path).unwrap(), "{path}");
}

#[test]
fn another_file_than_the_person_read_about_is_asked_about_again() {
    let env = TestEnv::new();
    env.config("[policy]\napprove = [\"download\"]\n");
    let sent = AtomicUsize::new(0);
    let here = Site::plan()
        .page("/", "<title>here</title><a id=file href='/file'>File</a>")
        .on("/file", move |_| {
            // Once the person has agreed to the first one, the server sends something else.
            let name = match sent.fetch_add(1, Ordering::SeqCst) {
                0 => "report.txt",
                _ => "other.sh",
            };
            let header = format!("attachment; filename=\"{name}\"");
            Answer::html("text").header("content-disposition", &header)
        })
        .serve();
    let there = Site::of("<title>elsewhere</title>");
    let two = Two { env, here, there };
    let all = two.run(&[act("click", "#file")], &["accept", "decline"]);
    let questions = ["download \"report.txt\"", "download \"other.sh\""];
    asked(&all[0], &questions);
    assert!(
        all[0]["text"]
            .as_str()
            .unwrap()
            .contains("the person said no"),
        "{all:#?}"
    );
    for name in ["report.txt", "other.sh"] {
        let file = two.env.in_profile("work", &format!("downloads/{name}"));
        assert!(!file.exists(), "{name}");
    }
}

#[test]
fn files_and_logins_wait_for_the_person() {
    let env = TestEnv::new();
    env.config("[policy]\napprove = [\"upload\", \"login\"]\n");
    let page = "<title>here</title><input type=file id=f aria-label=Photo
        onchange=\"document.title = this.files[0].name\">";
    let here = Site::plan()
        .page("/", page)
        .page("/in", "<form></form>")
        .serve();
    let there = Site::of("<title>elsewhere</title>");
    let file = env.work().join("photo.png");
    std::fs::write(&file, "x").unwrap();
    let two = Two { env, here, there };
    let upload = || {
        let input = json!({"kind": "upload", "selector": "#f", "paths": [file]});
        ("browser_act", input)
    };
    let title = || ("browser_run_code", json!({"code": "document.title"}));
    let login = json!({"url": two.here.url("/in"), "username": "jane", "password": "x"});
    let fields = json!([{"field": "Photo", "paths": [file]}]);
    let all = two.run(
        &[
            upload(),
            ("workflow_fill_form", json!({"fields": fields})),
            title(),
            ("workflow_login", login),
            upload(),
            title(),
        ],
        &["decline", "decline", "decline", "accept"],
    );
    for (result, question) in [(0, "photo.png"), (1, "photo.png"), (3, "sign in at")] {
        declined(&all[result], question);
    }
    assert_eq!(all[2]["data"]["value"], "here", "{:#}", all[2]);
    allowed(&all[4], &["photo.png"]);
    assert_eq!(all[5]["data"]["value"], "photo.png", "{:#}", all[5]);
    assert_eq!(Two::requests(&two.here, "/in"), 0, "it did not begin");
}

#[test]
fn closing_and_deleting_wait_for_the_person() {
    let two = Two::with("");
    two.env.open("old");
    two.env.close("old");
    two.env.config("[policy]\napprove = [\"close\"]\n");
    let delete =
        json!([["session_delete", {"session": "old"}], ["session_delete", {"session": "old"}]]);
    let args = [
        env!("CARGO_BIN_EXE_szk"),
        &delete.to_string(),
        r#"["decline", "accept"]"#,
    ];
    let deleted = script(&two.env, "mcp-steps.mjs", &args)["results"].clone();
    declined(&deleted[0], "delete old");
    allowed(&deleted[1], &["delete old"]);
    assert!(!two.env.in_profile("old", "").exists());

    let close = ("session_close", json!({"force": true}));
    let tab = ("browser_tabs", json!({"action": "close", "tab": "t1"}));
    let all = two.run(
        &[tab, close.clone(), close],
        &["decline", "decline", "accept"],
    );
    declined(&all[0], "close the tab `t1`");
    declined(&all[1], "close the session in session `work`");
    allowed(&all[2], &["close the session"]);
    assert_eq!(two.env.row("work").unwrap()["status"], "stored");
    // Without anybody to ask, nothing is deleted either.
    two.env
        .szk(["delete", "work", "--yes"])
        .fails("NEEDS_APPROVAL");
}

#[test]
fn a_person_in_the_live_view_answers_and_a_browser_of_szk_does_not() {
    let env = TestEnv::new();
    env.config("[policy]\napprove = [\"code\"]\n");
    env.open("work");
    let told = env.szk(["handoff", "work", "--no-wait", "--json"]).json();
    let url = told["url"].as_str().expect("a link").to_owned();
    let browser = std::fs::read_link(format!("/proc/{}/exe", env.browser().pid)).unwrap();
    let mut person = Driver::control(&env, "playwright", &browser);
    let watch = format!(
        "await page.goto('{url}'); await page.waitForFunction(() => document.querySelector('#screen').width > 500)"
    );
    person.run(&watch);
    let code = || env.szk(["run-code", "6 * 7", "-s", "work", "--json"]);
    let answer = |person: &mut Driver, word: &str| {
        let press = format!("const row = page.locator('#approvals div'); await row.waitFor(); const text = await row.innerText();
            await row.getByRole('button', {{name: '{word}'}}).click(); await row.waitFor({{state: 'detached'}}); return text");
        let text = person.run(&press);
        assert!(text.as_str().unwrap().contains("6 * 7"), "{text}");
    };
    let waiting = code().start();
    answer(&mut person, "Yes");
    let ended = waiting.end();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.contains("42"), "{ended:#?}");
    let waiting = code().start();
    answer(&mut person, "No");
    let failure = waiting.end().failure();
    assert_eq!(failure["code"], "NEEDS_APPROVAL", "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("said no"));

    // A model knows the link as well, and may open it in a browser that it drives.
    env.open("robot");
    let mut robot = Driver::playwright(&env, &env.endpoint("robot"));
    robot.run(&watch);
    person.run("await page.waitForSelector('body.over')");
    let refused = env
        .szk(["run-code", "6 * 7", "-s", "work"])
        .fails("NEEDS_APPROVAL");
    let hint = refused["hint"].as_str().unwrap();
    assert!(hint.contains("nobody can be asked from here"), "{hint}");
}
