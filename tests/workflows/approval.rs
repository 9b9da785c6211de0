//! `[policy] approve`: the official SDK with a person who can be asked, and without one.

use serde_json::{Value, json};

use super::site;
use crate::harness::{TestEnv, script};

const POLICY: &str = "[policy]\napprove = [\"code\"]\n";

fn said(env: &TestEnv, way: &str) -> Value {
    let site = site::serve();
    let args = [env!("CARGO_BIN_EXE_szk"), way, &site.url("/single")];
    script(env, "mcp-approve.mjs", &args)
}

#[track_caller]
fn refused(answer: &Value, text: &str) {
    let shown = answer["text"].as_str().unwrap();
    assert_eq!(answer["isError"], true, "{answer:#}");
    assert!(shown.contains("NEEDS_APPROVAL"), "{shown}");
    assert!(shown.contains(text), "{shown}");
}

#[test]
fn code_runs_only_when_the_person_agrees_to_it() {
    let env = TestEnv::new();
    env.config(POLICY);
    let said = said(&env, "form");
    let asked = said["asked"].as_array().unwrap();
    assert_eq!(asked.len(), 3, "{said:#}");
    for question in asked {
        let question = question.as_str().unwrap();
        assert!(question.contains("document.title"), "{question}");
        assert!(question.contains("session `work`"), "{question}");
        assert!(question.contains("/single"), "{question}");
    }
    // Navigating needs nobody.
    assert_eq!(said["looked"]["isError"], false, "{said:#}");
    assert_eq!(said["results"][0]["isError"], false, "{said:#}");
    refused(&said["results"][1], "the person said no");
    refused(&said["results"][2], "has changed since");
    // A batch stops there, and keeps what it did before.
    let steps = said["batch"]["data"]["steps"].as_array().unwrap();
    assert_eq!(steps[0]["error"], Value::Null, "{steps:#?}");
    assert_eq!(steps[1]["error"]["code"], "NEEDS_APPROVAL", "{steps:#?}");

    // In a terminal only a person can agree: without one, not even `szk` runs it.
    let alone = env.szk(["run-code", "1 + 1", "-s", "work"]);
    let failure = alone.fails("NEEDS_APPROVAL");
    assert_eq!(failure["effect"], "none", "{failure:#}");
}

#[test]
fn without_anybody_to_ask_code_does_not_run() {
    let env = TestEnv::new();
    env.config(POLICY);
    let said = said(&env, "none");
    assert_eq!(said["asked"], json!([]));
    for answer in said["results"].as_array().unwrap() {
        refused(answer, "nobody can be asked from here");
    }
}
