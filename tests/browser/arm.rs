//! `browser_arm`, and what happens if nothing is armed.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Answer, Display, Driver, Mcp, SOON, Site, TestEnv, wait_for, wait_until};

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
    // OK without a text.
    mcp.ok("browser_arm", json!({"event": "dialog"}));
    later(&mut mcp, "prompt('again?', 'nobody') + '!'");
    wait_for("the answer", SOON, || {
        (answer(&mut mcp) == "nobody!").then_some(())
    });
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
    // Other tabs keep working, and mention the open question.
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
    // Only a page with user activation may ask.
    let mut driver = Driver::playwright(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await page.click('button')");
    drop(driver);
    let left = mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    assert_eq!(left["title"], "asks");
}

#[test]
fn downloads_have_their_names_and_are_told() {
    let env = TestEnv::new();
    let (mut mcp, site) = open(&env);
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
    // One of the same name does not replace it.
    mcp.eval("work", "document.querySelector('#get').click()");
    let second = env.in_profile("work", "downloads/report (1).txt");
    assert_eq!(
        downloaded(&mut mcp, 2)["path"],
        second.display().to_string()
    );
    assert!(path.exists() && second.exists());
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
    // A file this small may be whole before it is refused: then it is removed.
    let refused = |mcp: &mut Mcp, count: usize| {
        wait_for("no file", SOON, || {
            (downloaded(mcp, count)["state"] == "canceled").then_some(())
        });
    };
    refused(&mut mcp, 4);
    // By address, where the whole file is there at once.
    mcp.ok("browser_arm", json!({"event": "download", "accept": false}));
    mcp.ok("browser_navigate", json!({"url": site.url("/file")}));
    refused(&mut mcp, 5);
    let files = fs::read_dir(env.in_profile("work", "downloads")).unwrap();
    let files = files.filter(|file| file.as_ref().unwrap().path().is_file());
    assert_eq!(files.count(), 2);
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

/// One task answers all dialogs: an armed answer also applies to those that acts cause, and an act's
/// own answer has the last word.
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
    let did = click_choose(&mut mcp);
    assert!(!did.contains("browser_arm"), "it was answered: {did}");
    assert!(
        did.contains("the file chooser got the armed files"),
        "{did}"
    );
    assert_eq!(mcp.eval("work", files), "second.txt");
}

/// Clicks what opens a chooser; returns the whole answer.
fn click_choose(mcp: &mut Mcp) -> String {
    let click = json!({"kind": "click", "selector": "#choose"});
    let did = mcp.call("browser_act", click);
    assert_eq!(did["isError"], false, "{did:#}");
    did.to_string()
}

/// Names of the files that the page received.
const FILES: &str = "[...document.querySelector('#taken').files].map(file => file.name).join()";

fn open_chooser(env: &TestEnv, page: &str) -> (Mcp, Site, [std::path::PathBuf; 2]) {
    let site = Site::of(page);
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let files = ["first.txt", "second.txt"].map(|name| {
        let path = env.work().join(name);
        fs::write(&path, name).unwrap();
        path
    });
    (mcp, site, files)
}

/// The chooser opens in a page, in a frame of another process, and for a field in no document.
const CHOOSES: &str = "<title>asks</title><input type=file id=taken hidden multiple>
    <button id=choose onclick='taken.click()'>Choose</button>
    <button id=made onclick=\"const made = document.createElement('input'); made.type = 'file';
        made.onchange = () => { out.textContent = made.files[0].name };
        made.oncancel = () => { out.textContent = 'cancelled' }; made.click()\">Make</button>
    <button id=pick onclick='showOpenFilePicker().catch(() => {})'>Pick</button>
    <button id=later onclick=\"setTimeout(() => taken.click(), 300)\">Later</button>
    <p id=out>-</p><script>onblur = () => { out.textContent = 'left' }</script>";

#[test]
fn a_chooser_that_nothing_is_armed_for_is_told_and_answered_afterwards() {
    let env = TestEnv::new();
    let (mut mcp, _site, [first, second]) = open_chooser(&env, CHOOSES);
    for round in ["once", "again"] {
        let did = click_choose(&mut mcp);
        assert!(did.contains("a file chooser is open"), "{round}: {did}");
        assert!(
            did.contains("t1 shows a file chooser (several files)"),
            "{did}"
        );
        let tabs = mcp.call("browser_tabs", json!({})).to_string();
        assert!(tabs.contains("shows a file chooser"), "{round}: {tabs}");
        let given = json!({"event": "chooser", "paths": [first, second]});
        assert_eq!(mcp.ok("browser_arm", given)["answered"], true, "{round}");
        assert_eq!(mcp.eval("work", FILES), "first.txt,second.txt", "{round}");
        let tabs = mcp.call("browser_tabs", json!({})).to_string();
        assert!(!tabs.contains("file chooser"), "{round}: {tabs}");
    }
    // A field that the page has not attached anywhere; a refused chooser is no longer open.
    mcp.ok("browser_act", json!({"kind": "click", "selector": "#made"}));
    mcp.ok("browser_arm", json!({"event": "chooser", "paths": [first]}));
    let out = "document.querySelector('#out').textContent";
    assert_eq!(mcp.eval("work", out), "first.txt");
    click_choose(&mut mcp);
    mcp.ok("browser_arm", json!({"event": "chooser", "accept": false}));
    let tabs = mcp.call("browser_tabs", json!({})).to_string();
    assert!(!tabs.contains("file chooser"), "{tabs}");
    // The next answer reports one that opens after the act.
    mcp.ok(
        "browser_act",
        json!({"kind": "click", "selector": "#later"}),
    );
    wait_for("the late chooser", SOON, || {
        let tabs = mcp.call("browser_tabs", json!({})).to_string();
        tabs.contains("shows a file chooser").then_some(())
    });
    // A file system picker has no field that could take files.
    let did = mcp.call("browser_act", json!({"kind": "click", "selector": "#pick"}));
    assert!(did.to_string().contains("showOpenFilePicker"), "{did:#}");
    // Files that reach the field in another way answer the chooser too.
    let upload = json!({"kind": "upload", "selector": "#taken", "paths": [second]});
    let did = mcp.call("browser_act", upload).to_string();
    assert!(!did.contains("file chooser"), "{did}");
}

#[test]
fn a_chooser_that_cannot_take_the_armed_files_stays_open_and_says_why() {
    let env = TestEnv::new();
    let one = CHOOSES.replace(" multiple>", ">");
    let (mut mcp, _site, [first, second]) = open_chooser(&env, &one);
    let both = json!({"event": "chooser", "paths": [first, second]});
    mcp.ok("browser_arm", both);
    let did = click_choose(&mut mcp);
    assert!(did.contains("takes one file"), "{did}");
    assert!(did.contains("t1 shows a file chooser (one file)"), "{did}");
    mcp.ok(
        "browser_arm",
        json!({"event": "chooser", "paths": [second]}),
    );
    assert_eq!(mcp.eval("work", FILES), "second.txt");
}

/// A frame in another process has choosers of its own.
#[test]
fn choosers_of_frames_are_told_and_answered() {
    let env = TestEnv::new();
    let inner = Site::of(CHOOSES);
    let far = inner.url("/").replace("127.0.0.1", "localhost");
    let frame = format!("<iframe src='{far}'></iframe>");
    let (mut mcp, _site, [first, second]) = open_chooser(&env, &frame);
    let click = json!({"kind": "click", "selector": "#choose", "frame": "iframe"});
    let did = mcp.call("browser_act", click.clone()).to_string();
    assert!(did.contains("a file chooser is open"), "{did}");
    mcp.ok("browser_arm", json!({"event": "chooser", "paths": [first]}));
    mcp.ok(
        "browser_arm",
        json!({"event": "chooser", "paths": [second]}),
    );
    let did = mcp.call("browser_act", click).to_string();
    assert!(
        did.contains("the file chooser got the armed files"),
        "{did}"
    );
}

/// Chromium alone would cancel it after 2 ms, because it cannot show it.
#[test]
fn without_a_display_a_chooser_stays_open_before_any_act() {
    let env = TestEnv::new();
    let (mut mcp, _site, [first, _]) = open_chooser(&env, CHOOSES);
    let mut driver = Driver::puppeteer(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await (await page.$('#made')).click()");
    wait_until("the chooser is open", SOON, || dialogs(&mut mcp).len() == 1);
    // Whatever Chromium had to say about it, it has said before it paints twice.
    let painted = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))";
    mcp.eval("work", painted);
    let out = "document.querySelector('#out').textContent";
    assert_eq!(mcp.eval("work", out), "-");
    mcp.ok("browser_arm", json!({"event": "chooser", "paths": [first]}));
    assert_eq!(mcp.eval("work", out), "first.txt");
}

/// In a window the person gets the choosers as soon as no act is running and nothing is armed.
#[test]
fn a_person_in_a_window_has_their_choosers_again() {
    let display = Display::start();
    let mut env = TestEnv::new();
    env.set("DISPLAY", display.name());
    let (mut mcp, _site, [first, _]) = open_chooser(&env, CHOOSES);
    let did = click_choose(&mut mcp);
    assert!(did.contains("a file chooser is open"), "{did}");
    mcp.ok("browser_arm", json!({"event": "chooser", "paths": [first]}));
    assert_eq!(mcp.eval("work", FILES), "first.txt");
    // An unused armed answer expires on time.
    let short = json!({"event": "chooser", "paths": [first], "seconds": 1});
    assert_eq!(mcp.ok("browser_arm", short)["answered"], false);
    let code = "new Promise(later => setTimeout(() => later('later'), 2000))";
    assert_eq!(mcp.eval("work", code), "later");
    // The person's click, not an act of ours. Chromium's own chooser takes the focus.
    let mut driver = Driver::puppeteer(&env, &mcp.ok("session_endpoint", json!({})));
    driver.run("await (await page.$('#choose')).click()");
    let out = "document.querySelector('#out').textContent";
    wait_for("Chromium's own chooser", SOON, || {
        (mcp.eval("work", out) == "left").then_some(())
    });
    assert_eq!(dialogs(&mut mcp).len(), 1, "it was left to the person");
}
