//! A server that drains: it opens no more sessions, lets those who work finish, and ends.

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{SOON, TestEnv, wait_until};

#[test]
fn a_draining_server_finishes_its_work_and_ends() {
    let env = TestEnv::new();
    env.szk(["serve", "--drain"]).fails("NOT_FOUND");
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    let post = |path: &str, input: Value| server.call(&all, "POST", path, &input);
    post("/v1/sessions", json!({"session": "work"})).ok();
    let run = "/v1/sessions/work/run-code";
    let title = || post(run, json!({"code": "document.title"})).ok()["value"].clone();
    let bearer = format!("Bearer {all}");
    let headers = [("Authorization", bearer.as_str()), ("Connection", "close")];
    let code = "document.title = 'began'; while (document.title !== 'go') await new Promise((done) => setTimeout(done, 50)); return 'went'";
    let long = server.begin(run, &headers, &json!({ "code": code }).to_string());
    wait_until("it runs", SOON, || title() == "began");

    let drain = env.szk(["serve", "--drain", "--json"]).start();
    let ready = || server.ask("GET", "/readyz", &[], "");
    wait_until("it drains", SOON, || ready().status == 503);
    ready().fails(503, "DRAINING");
    let refused = post("/v1/sessions", json!({"session": "other"}));
    refused.fails(503, "DRAINING");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    // Whoever works goes on.
    assert_eq!(post("/v1/sessions", json!({"session": "work"})).status, 200);
    post(run, json!({"code": "document.title = 'go'"})).ok();
    assert_eq!(Server::finish(long).ok()["value"], "went");

    assert_eq!(server.running.end().code, Some(0));
    let ended = drain.end();
    assert_eq!(ended.code, Some(0));
    let said: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(said["drained"], json!([server.url]));
    env.szk(["serve", "--drain"]).fails("NOT_FOUND");
    assert_eq!(env.row("work").unwrap()["status"], "open");
    assert!(env.row("other").is_none());
    env.close("work");
}
