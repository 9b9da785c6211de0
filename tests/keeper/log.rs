//! `keeper.log`: which calls were made and how they ended, without their content.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{PATIENTLY, Site, TestEnv, wait_for};

fn log(env: &TestEnv) -> String {
    fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap()
}

/// One call that works, one that fails, and one for an operation that does not exist.
fn worked(env: &TestEnv) {
    let page = "<title>t</title><input id=field>";
    let site = Site::plan().page("/hidden-path", page).serve();
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/hidden-path")}));
    let fill = json!({"kind": "fill", "selector": "#field", "text": "said-in-private"});
    mcp.ok("browser_act", fill);
    let missing = json!({"kind": "click", "selector": "#no-such-thing"});
    mcp.fails("browser_act", missing, "NOT_FOUND");
    mcp.leave();
    env.close("work");
}

#[test]
fn calls_are_logged_without_their_inputs() {
    let env = TestEnv::new();
    env.config("[log]\nformat = \"json\"\n");
    worked(&env);
    let log = log(&env);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let calls: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line["message"] == "answered" && line["level"] == "INFO")
        .map(|line| {
            assert!(
                line["ms"].is_u64() && line["timestamp"].is_string(),
                "{line}"
            );
            assert!(!line["client"].as_str().unwrap().is_empty(), "{line}");
            (
                line["operation"].as_str().unwrap(),
                line["code"].as_str().unwrap(),
            )
        })
        .collect();
    for call in [
        ("session_open", "OK"),
        ("browser_navigate", "OK"),
        ("browser_act", "OK"),
        ("browser_act", "NOT_FOUND"),
    ] {
        assert!(calls.contains(&call), "{call:?}: {calls:?}");
    }
    for input in ["said-in-private", "no-such-thing", "hidden-path"] {
        assert!(!log.contains(input), "{input}: {log}");
    }
}

#[test]
fn the_configured_level_counts_and_the_environment_before_it() {
    let mut env = TestEnv::new();
    env.config("[log]\nlevel = \"warn\"\n");
    worked(&env);
    assert!(!log(&env).contains("answered"), "{}", log(&env));
    env.set("SZK_LOG", "info");
    worked(&env);
    let log = log(&env);
    let told = "answered operation=\"browser_act\" client=";
    assert!(
        log.contains(told) && log.contains("code=\"NOT_FOUND\""),
        "{log}"
    );
}

/// An unsaveable state stays unsaveable: a line per attempt would flood the log.
#[test]
fn what_is_left_out_of_the_state_is_said_once() {
    let env = TestEnv::new();
    env.config("[session]\nsave_seconds = 1\n");
    let site = Site::of("<title>keys</title>");
    let mut mcp = env.mcp();
    mcp.open_session("work");
    mcp.ok("browser_navigate", json!({"url": site.url("/")}));
    let keep = "(async () => {
        const key = await crypto.subtle.generateKey({name: 'AES-GCM', length: 128}, false, ['encrypt']);
        const open = indexedDB.open('keys', 1);
        await new Promise((done) => { open.onupgradeneeded = () => open.result.createObjectStore('keys'); open.onsuccess = done; });
        const change = open.result.transaction('keys', 'readwrite');
        change.objectStore('keys').put(key, 'mine');
        await new Promise((done) => { change.oncomplete = done; });
        return 'kept';
    })()";
    assert_eq!(mcp.eval("work", keep), "kept");
    for round in ["one", "two", "three"] {
        mcp.eval("work", &format!("localStorage.setItem('round', '{round}')"));
        wait_for("the state to be saved", PATIENTLY, || {
            let state = fs::read_to_string(env.in_profile("work", "state.json")).ok()?;
            state.contains(&format!("\"{round}\"")).then_some(())
        });
    }
    let log = log(&env);
    let said = log.matches("left out of the saved state").count();
    assert_eq!(said, 1, "{log}");
}
