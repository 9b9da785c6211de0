//! All or nothing: what cannot be protected does not run. The browser is the real one, behind a pipe
//! that refuses one command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Answer, SOON, Site, TestEnv, wait_until};

/// The real browser's executable.
fn chromium() -> String {
    std::env::var("SZK_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned())
}

/// An environment whose browser refuses the nth command of this name that contains this text.
fn refusing(method: &str, nth: usize, text: &str) -> TestEnv {
    let mut env = TestEnv::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/refusing.mjs");
    let wrapper = env.work().join("chromium");
    fs::write(
        &wrapper,
        format!("#!/bin/sh\nexec node {} \"$@\"\n", script.display()),
    )
    .unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    env.set("SZK_TEST_CHROMIUM", &chromium());
    env.set("SZK_TEST_REFUSE", &format!("{method} {nth} {text}"));
    let ended = env.work().join("ended.json");
    env.set("SZK_TEST_ENDED", &ended.display().to_string());
    env.set("SZK_CHROMIUM", &wrapper.display().to_string());
    fs::write(env.work().join("init.js"), "globalThis.mark = 1;\n").unwrap();
    env.config(
        "[stealth]\nscripts = [\"init.js\"]\n\n[browser]\nargs = [\"--disable-popup-blocking\"]\n",
    );
    env
}

const SCRIPT: &str = "Page.addScriptToEvaluateOnNewDocument";

#[test]
fn a_session_whose_first_page_refuses_does_not_open() {
    for method in ["Target.setAutoAttach", "Page.enable", SCRIPT] {
        let env = refusing(method, 1, "");
        let failure = env
            .szk(["open", "work", "--detach"])
            .fails("BROWSER_CRASHED");
        let message = failure["message"].as_str().unwrap();
        assert!(
            message.contains(method) && message.contains("not today"),
            "{message}"
        );
        env.no_chromium_is_left();
        // It exited cleanly, and was never asked: that would have waited for a paused page.
        let ended = fs::read(env.work().join("ended.json")).unwrap();
        let ended: Value = serde_json::from_slice(&ended).unwrap();
        assert_eq!(ended["steps"], json!(["pipe closed"]), "{ended}");
        assert_eq!(ended["code"], 0, "{ended}");
        assert!(env.row("work").is_none(), "it never opened");
    }
}

/// What the browser that fails has been given is saved as that of the next one.
#[test]
fn a_login_outlives_openings_that_fail() {
    let mut env = refusing("Nothing", 1, "");
    let signs_in = |_: &_| {
        Answer::html("<title>signed in</title>").header("set-cookie", "login=yes; SameSite=Lax")
    };
    let site = Site::plan().on("/", signs_in).page("/look", "").serve();
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.close("work");
    for method in ["Page.enable", SCRIPT] {
        env.set("SZK_TEST_REFUSE", &format!("{method} 1 "));
        env.szk(["open", "work", "--detach"])
            .fails("BROWSER_CRASHED");
        env.no_chromium_is_left();
    }
    env.set("SZK_TEST_REFUSE", "Nothing 1 ");
    env.open("work");
    env.navigate("work", &site.url("/look"));
    assert_eq!(env.eval("work", "document.cookie"), "login=yes");
}

/// `PART` is what the page does, after which something refuses the second init script.
fn after(part: &str, method: &str, nth: usize) -> (TestEnv, Site, Value) {
    let env = refusing(method, nth, "globalThis.mark");
    let site = Site::plan()
        .page("/", "<title>opener</title>")
        .page("/popup", "<script>fetch('/ran')</script>")
        .script("/worker.js", "postMessage(1)")
        .serve();
    env.open("work");
    env.navigate("work", &site.url("/"));
    env.eval_main(
        "work",
        &part.replace("OTHER", &site.origin().replace("127.0.0.1", "localhost")),
    );
    wait_until("it is told", SOON, || warnings(&env).contains(method));
    let told = json!(warnings(&env));
    (env, site, told)
}

fn warnings(env: &TestEnv) -> String {
    env.open("work")["warnings"].to_string()
}

#[test]
fn a_popup_that_refuses_is_closed_before_it_runs() {
    let (env, site, told) = after("void open('/popup')", SCRIPT, 2);
    assert!(told.to_string().contains("`page`"), "{told}");
    wait_until("it is closed", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_some_and(|tabs| tabs.len() == 1)
    });
    assert_eq!(env.eval("work", "document.title"), "opener");
    assert!(!site.asked().iter().any(|asked| asked.path == "/ran"));
}

#[test]
fn a_frame_that_refuses_takes_its_page_along() {
    let part = "void document.body.append(Object.assign(document.createElement('iframe'), {src: 'OTHER/popup'}))";
    let (env, site, told) = after(part, SCRIPT, 2);
    assert!(told.to_string().contains("`iframe`"), "{told}");
    wait_until("its page is closed", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_none_or(Vec::is_empty)
    });
    assert!(!site.asked().iter().any(|asked| asked.path == "/ran"));
}

#[test]
fn a_worker_that_refuses_is_ended() {
    let (env, _site, told) = after("void new Worker('/worker.js')", "Runtime.evaluate", 1);
    assert!(told.to_string().contains("`worker`"), "{told}");
    wait_until("its page is closed", SOON, || {
        env.row("work").unwrap()["tabs"]
            .as_array()
            .is_none_or(Vec::is_empty)
    });
}
