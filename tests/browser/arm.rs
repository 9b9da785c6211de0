//! `browser_arm`, and what is done when nothing is armed.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Driver, Mcp, SOON, Site, TestEnv, wait_for};

fn open(env: &TestEnv) -> (Mcp, Site) {
    let site = Site::plan()
        .page("/", "<title>asks</title><input type=file id=file multiple><a id=get href=/file>get</a>")
        .page(
            "/stays",
            "<title>stays</title><button>b</button><script>onbeforeunload = event => event.preventDefault()</script>",
        )
        .on("/file", |_| {
            Answer::html("data").header("content-disposition", "attachment; filename=report.txt")
        })
        .on("/secret", |asked| {
            let login = asked.headers.get("authorization").and_then(|value| value.to_str().ok());
            // jane:hunter2
            if login == Some("Basic amFuZTpodW50ZXIy") {
                Answer::html("<title>welcome</title>")
            } else {
                Answer::status(401).header("www-authenticate", "Basic realm=\"x\"")
            }
        })
        .serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    (mcp, site)
}

/// Runs code in the page that asks, without waiting for it.
fn later(mcp: &mut Mcp, code: &str) {
    let code = format!("void setTimeout(() => {{ window.answer = {code} }})");
    mcp.ok("browser_run_code", json!({"world": "main", "code": code}));
}

fn answer(mcp: &mut Mcp) -> Value {
    wait_for("an answer", SOON, || {
        let value = mcp.ok(
            "browser_run_code",
            json!({"world": "main", "code": "window.answer"}),
        );
        (value["kind"] != "undefined").then(|| value["value"].clone())
    })
}

fn dialogs(mcp: &mut Mcp) -> Vec<Value> {
    let logs = mcp.ok("browser_logs", json!({"kind": "dialogs"}));
    logs["entries"].as_array().unwrap().clone()
}

fn open_dialog(mcp: &mut Mcp) {
    wait_for("the dialog", SOON, || {
        dialogs(mcp)
            .iter()
            .any(|one| one.get("accepted").is_none())
            .then_some(())
    });
}

#[test]
fn a_dialog_gets_the_answer_that_was_armed_last() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    mcp.ok("browser_arm", json!({"event": "dialog", "accept": false}));
    mcp.ok("browser_arm", json!({"event": "dialog", "text": "Jane"}));
    later(&mut mcp, "prompt('name?', 'nobody')");
    assert_eq!(answer(&mut mcp), "Jane");
    let seen = dialogs(&mut mcp);
    assert_eq!(
        (&seen[0]["type"], &seen[0]["message"], &seen[0]["accepted"]),
        (&json!("prompt"), &json!("name?"), &json!(true))
    );
}

#[test]
fn an_open_question_is_told_and_answered() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    later(&mut mcp, "confirm('sure?')");
    open_dialog(&mut mcp);
    let failure = mcp.fails("browser_run_code", json!({"code": "1"}), "SESSION_BUSY");
    assert!(
        failure["message"].as_str().unwrap().contains("sure?"),
        "{failure}"
    );
    // Other tabs go on, and say that there is a question.
    let other = mcp.call(
        "browser_navigate",
        json!({"tab": "new", "url": "about:blank"}),
    );
    assert!(
        other["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("sure?"),
        "{other:#}"
    );
    let done = mcp.ok("browser_arm", json!({"event": "dialog", "tab": "t1"}));
    assert_eq!(done["answered"], true);
    mcp.ok("browser_tabs", json!({"action": "focus", "tab": "t1"}));
    assert_eq!(answer(&mut mcp), true);
}

#[test]
fn nobody_is_needed_for_alerts_and_leaving() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    later(&mut mcp, "alert('hello') ?? 'gone'");
    assert_eq!(answer(&mut mcp), "gone");
    mcp.ok("browser_navigate", json!({"url": site.url("/stays")}));
    // Only a page that was touched may ask.
    let mut driver = Driver::playwright(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await page.click('button')");
    drop(driver);
    let left = mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    assert_eq!(left["title"], "asks");
}

#[test]
fn downloads_have_their_names_and_are_told() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let downloaded = |mcp: &mut Mcp, count: usize| {
        wait_for("the download", SOON, || {
            let logs = mcp.ok("browser_logs", json!({"kind": "downloads"}));
            let all = logs["entries"].as_array().unwrap().clone();
            let done = all
                .iter()
                .filter(|one| one["state"] != "in_progress")
                .count();
            (done == count).then(|| all.last().unwrap().clone())
        })
    };
    mcp.eval("work", "document.querySelector('#get').click()");
    let kept = downloaded(&mut mcp, 1);
    let path = env.in_profile("work", "downloads/report.txt");
    assert_eq!(kept["path"], path.display().to_string());
    assert_eq!(
        (&kept["tab"], &kept["name"]),
        (&json!("t1"), &json!("report.txt"))
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "data");
    let wanted = env.work().join("mine.txt");
    mcp.ok("browser_arm", json!({"event": "download", "path": wanted}));
    mcp.eval("work", "document.querySelector('#get').click()");
    wait_for("the file", SOON, || {
        fs::read_to_string(&wanted)
            .ok()
            .filter(|text| text == "data")
    });
    mcp.ok("browser_arm", json!({"event": "download", "accept": false}));
    mcp.eval("work", "document.querySelector('#get').click()");
    downloaded(&mut mcp, 3);
}

#[test]
fn a_chooser_gets_its_files() {
    let env = TestEnv::new();
    let (mut mcp, _site) = open(&env);
    let file = env.work().join("photo.txt");
    fs::write(&file, "cheese").unwrap();
    mcp.ok("browser_arm", json!({"event": "chooser", "paths": [file]}));
    let mut driver = Driver::puppeteer(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await (await page.$('#file')).click()");
    let read = "[...document.querySelector('#file').files].map(file => file.name)";
    wait_for("the file", SOON, || {
        (mcp.eval("work", read) == json!(["photo.txt"])).then_some(())
    });
    mcp.fails(
        "browser_arm",
        json!({"event": "chooser", "paths": ["/nowhere/at/all"]}),
        "NOT_FOUND",
    );
}

#[test]
fn permissions_and_logins() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
    let state = "navigator.permissions.query({name: 'geolocation'}).then(found => found.state)";
    assert_eq!(mcp.eval("work", state), "prompt");
    mcp.ok("browser_arm", json!({"event": "permission", "seconds": 1}));
    assert_eq!(mcp.eval("work", state), "granted");
    wait_for("the end of it", SOON, || {
        (mcp.eval("work", state) == "prompt").then_some(())
    });
    mcp.ok(
        "browser_arm",
        json!({"event": "auth", "username": "jane", "password": "hunter2"}),
    );
    let there = mcp.ok("browser_navigate", json!({"url": site.url("/secret")}));
    assert_eq!(
        (&there["title"], &there["status"]),
        (&json!("welcome"), &json!(200))
    );
    for wrong in [
        json!({"event": "auth"}),
        json!({"event": "dialog", "paths": ["/a"]}),
        json!({"event": "chooser"}),
        json!({}),
    ] {
        mcp.fails("browser_arm", wrong, "INVALID_INPUT");
    }
}

/// One answers all: what is armed holds for the dialogs of acts too, and what an act says itself is said
/// last.
#[test]
fn acts_and_arms_do_not_quarrel() {
    let env = TestEnv::new();
    let site = Site::of(
        "<title>asks</title><button id=ask onclick=\"out.textContent = prompt('name?')\">Ask</button><p id=out></p>
         <input type=file id=taken hidden multiple><button id=choose onclick='taken.click()'>Choose</button>",
    );
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let click = |mcp: &mut Mcp, more: Value| {
        let mut input = json!({"kind": "click", "selector": "#ask"});
        for (key, value) in more.as_object().unwrap() {
            input[key] = value.clone();
        }
        let did = mcp.ok("browser_act", input)["dialogs"].clone();
        if did[0].get("accepted").is_none() {
            mcp.ok("browser_arm", json!({"event": "dialog", "text": "late"}));
        }
        let said = mcp.eval("work", "document.querySelector('#out').textContent");
        (did[0]["accepted"].clone(), said)
    };
    mcp.ok("browser_arm", json!({"event": "dialog", "text": "armed"}));
    assert_eq!(click(&mut mcp, json!({})), (json!(true), json!("armed")));
    assert_eq!(
        click(&mut mcp, json!({})),
        (json!(null), json!("late")),
        "once"
    );
    mcp.ok("browser_arm", json!({"event": "dialog", "text": "armed"}));
    assert_eq!(
        click(&mut mcp, json!({"dialog_text": "said"})),
        (json!(true), json!("said"))
    );
    assert_eq!(
        click(&mut mcp, json!({})),
        (json!(true), json!("armed")),
        "it was not used up"
    );
    // Choosers likewise.
    let [first, second] = ["first.txt", "second.txt"].map(|name| {
        let path = env.work().join(name);
        fs::write(&path, name).unwrap();
        path
    });
    mcp.ok(
        "browser_arm",
        json!({"event": "chooser", "paths": [second]}),
    );
    let upload = json!({"kind": "upload", "selector": "#choose", "paths": [first]});
    let did = mcp.call("browser_act", upload);
    assert_eq!(did["structuredContent"]["value"], "first.txt", "{did:#}");
    let told = did["content"][0]["text"].as_str().unwrap();
    assert!(
        !told.contains("browser_arm"),
        "nothing is left to answer: {told}"
    );
    let files = "[...document.querySelector('#taken').files].map(file => file.name).join()";
    assert_eq!(mcp.eval("work", files), "first.txt");
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "#choose"}),
    );
    wait_for("the armed file", SOON, || {
        (mcp.eval("work", files) == "second.txt").then_some(())
    });
}
