//! Who may use the server, and what a token allows.

use std::fs;

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{PATIENTLY, TestEnv, wait_until};

#[test]
fn nobody_gets_in_without_a_token_that_works() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let good = token(&env, "good", &[]);
    let revoked = token(&env, "revoked", &[]);
    env.szk(["token", "revoke", "revoked"]).ok();
    let expires = token(&env, "expires", &["--expires", "1s"]);
    let path = "/v1/sessions";
    let longer = format!("{good}0");
    assert_eq!(server.get(&good, path).status, 200);
    for wrong in ["", "x", &revoked, &good[..good.len() - 1], &longer] {
        let refused = server.get(wrong, path);
        refused.fails(401, "UNAUTHORIZED");
        assert!(refused.headers["www-authenticate"].starts_with("Bearer"));
    }
    server.ask("GET", path, &[], "").fails(401, "UNAUTHORIZED");
    server
        .ask("GET", "/metrics", &[], "")
        .fails(401, "UNAUTHORIZED");
    let bearer = format!("Bearer {good}");
    let auth = ("Authorization", bearer.as_str());
    // Two tokens are none.
    server
        .ask("GET", path, &[auth, auth], "")
        .fails(401, "UNAUTHORIZED");
    // A page that rebinds a name, one that sends a request, and one inside of the browser.
    let evil = format!("evil.example:{}", server.port);
    let foreign = [("Host", evil.as_str()), auth];
    server
        .ask("GET", path, &foreign, "")
        .fails(403, "POLICY_DENIED");
    let from_page = [auth, ("Origin", "https://evil.example")];
    server
        .ask("POST", path, &from_page, "")
        .fails(403, "POLICY_DENIED");
    let sent = [auth, ("Sec-Fetch-Site", "cross-site")];
    server
        .ask("GET", path, &sent, "")
        .fails(403, "POLICY_DENIED");
    server
        .ask("GET", "/docs", &[("Host", &evil)], "")
        .fails(403, "POLICY_DENIED");
    let listed = env.szk(["token", "list", "--json"]).ok().stdout;
    assert!(
        listed.contains("\"good\"") && !listed.contains(&good),
        "{listed}"
    );
    let taken = env.szk(["token", "create", "good"]).fails("INVALID_INPUT");
    assert!(
        taken["hint"].as_str().unwrap().contains("revoke"),
        "{taken}"
    );
    wait_until("the token has expired", PATIENTLY, || {
        server.get(&expires, path).status == 401
    });
    server.get(&good, path).ok();
    // Beyond this machine only with a certificate, or behind a proxy that encrypts.
    let open = env
        .szk(["serve", "--listen", "0.0.0.0:0"])
        .fails("INVALID_INPUT");
    assert!(
        open["hint"].as_str().unwrap().contains("--behind-proxy"),
        "{open}"
    );
}

#[test]
fn a_token_allows_what_it_says_and_no_more() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let reader = token(&env, "reader", &["--scope", "read"]);
    let writer = token(&env, "writer", &["--scope", "read,write"]);
    let refused = |token: &str, path: &str, input: Value| {
        server
            .call(token, "POST", path, &input)
            .fails(403, "POLICY_DENIED")
    };
    refused(&reader, "/v1/sessions", json!({"session": "work"}));
    let code = json!({"code": "1"});
    let error = refused(&writer, "/v1/sessions/work/run-code", code.clone());
    assert!(
        error["hint"].as_str().unwrap().contains("--scope code"),
        "{error}"
    );
    let step = json!({"steps": [{"tool": "browser_run_code", "input": code}]});
    refused(&writer, "/v1/sessions/work/batch", step);
    refused(
        &writer,
        "/v1/sessions/work/start",
        json!({"raw_port": 9333}),
    );
    refused(&writer, "/v1/sessions/work/endpoint", json!({}));
    refused(
        &writer,
        "/v1/sessions/work/pdf",
        json!({"path": "/tmp/a.pdf"}),
    );
    refused(
        &writer,
        "/v1/sessions/work/state",
        json!({"action": "export"}),
    );
    let delete = server.call(&writer, "DELETE", "/v1/profiles/work", &Value::Null);
    delete.fails(403, "POLICY_DENIED");
    server
        .get(&writer, "/v1/sessions/work/cdp/json/version")
        .fails(403, "POLICY_DENIED");
    assert!(env.row("work").is_none());
    // Who tried is in the audit log.
    let log = env.szk(["audit", "show", "-s", "work"]).ok().stdout;
    for line in ["browser_run_code: POLICY_DENIED", "(http) session_endpoint"] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn other_sessions_do_not_exist_for_a_token() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    let test = token(&env, "test", &["--scope", "all", "--session", "test-*"]);
    let post = |token: &str, path: &str, input: Value| server.call(token, "POST", path, &input);
    for name in ["shop", "test-1"] {
        post(&all, "/v1/sessions", json!({"session": name})).ok();
    }
    let seen = server.get(&test, "/v1/sessions").ok();
    assert_eq!(seen["sessions"].as_array().unwrap().len(), 1, "{seen}");
    // The only open session that it sees.
    let page = post(&test, "/v1/sessions", json!({})).ok();
    assert_eq!(page["session"], "test-1");
    for path in [
        "/v1/sessions/shop",
        "/v1/sessions/shop/snapshot",
        "/v1/sessions/shop/cdp/json/version",
    ] {
        let error = server.get(&test, path).fails(404, "SESSION_NOT_FOUND");
        // Not even its name is hinted at.
        assert!(!error["hint"].to_string().contains("`shop`"), "{error}");
    }
    post(&test, "/v1/sessions", json!({"session": "shop-2"})).fails(404, "SESSION_NOT_FOUND");
    let delete = server
        .call(&test, "DELETE", "/v1/profiles/s*", &Value::Null)
        .ok();
    assert_eq!(delete["deleted"], json!([]));

    let clone = post(&test, "/v1/sessions/test-1/start", json!({"clone": true})).ok();
    let clone = clone["session"].as_str().unwrap();
    server
        .get(&test, &format!("/v1/sessions/{clone}/tabs"))
        .ok();
    let stop = format!("/v1/sessions/{clone}/stop");
    post(&test, &stop, json!({"keep_as": "shop-2"})).fails(404, "SESSION_NOT_FOUND");
    post(&test, &stop, json!({"keep_as": "test-2"})).ok();
    assert!(env.row("test-2").is_some() && env.row("shop-2").is_none());
    for name in ["shop", "test-1"] {
        env.close(name);
    }
}

#[test]
fn a_token_of_some_sessions_reaches_no_others_by_path() {
    let env = TestEnv::new();
    env.open("work");
    env.close("work");
    let server = Server::start(&env);
    let scope = "read,write,secrets,files";
    let limited = token(&env, "shop", &["--session", "shop-*", "--scope", scope]);
    let call = |path: &str, input: Value| server.call(&limited, "POST", path, &input);
    call("/v1/sessions", json!({"session": "shop-1"})).ok();
    let tokens = env.store().join(".tokens");
    let state = env.in_profile("work", "state.json");
    let before = (fs::read(&tokens).unwrap(), fs::read(&state).unwrap());
    let shot = "/v1/sessions/shop-1/screenshot";
    call(shot, json!({"path": tokens})).fails(403, "POLICY_DENIED");
    for action in ["import", "export"] {
        let input = json!({"action": action, "path": state});
        call("/v1/sessions/shop-1/state", input).fails(403, "POLICY_DENIED");
    }
    assert_eq!(
        before,
        (fs::read(&tokens).unwrap(), fs::read(&state).unwrap())
    );
    let own = env.in_profile("shop-1", "artifacts/a.png");
    call(shot, json!({"path": own})).ok();
}
