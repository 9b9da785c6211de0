//! What only tokens with `admin` do: tokens, the audit log, and draining.

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::TestEnv;

#[test]
fn admins_make_tokens_read_the_log_and_drain() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let root = token(&env, "root", &["--scope", "all", "--expires", "30d"]);
    let limited = ["--scope", "read,write,admin", "--session", "shop-*"];
    let shop = token(&env, "shop", &limited);
    let others = "read,write,destroy,code,cdp,secrets,files,agent";
    let plain = token(&env, "plain", &["--scope", others]);
    let post = |token: &str, path: &str, input: Value| server.call(token, "POST", path, &input);
    let delete = |token: &str, path: &str| server.call(token, "DELETE", path, &Value::Null);

    // Nobody else.
    for refused in [
        server.get(&plain, "/v1/tokens"),
        post(&plain, "/v1/tokens", json!({"name": "more"})),
        delete(&plain, "/v1/tokens/plain"),
        server.get(&plain, "/v1/audit"),
        server.get(&plain, "/v1/audit/check"),
        post(&plain, "/v1/drain", Value::Null),
    ] {
        let error = refused.fails(403, "POLICY_DENIED");
        assert!(
            error["hint"].as_str().unwrap().contains("--scope admin"),
            "{error}"
        );
    }

    let ci = json!({"name": "ci", "scopes": ["read"], "expires": "1h"});
    let made = post(&root, "/v1/tokens", ci);
    assert_eq!(made.status, 201);
    let ci = made.ok()["token"].as_str().unwrap().to_owned();
    server.get(&ci, "/v1/sessions").ok();
    post(&ci, "/v1/sessions", json!({})).fails(403, "POLICY_DENIED");

    // No more than the one that makes it: neither in what it allows, nor in what it sees, nor in time.
    let code = json!({"name": "x", "scopes": ["code"]});
    post(&shop, "/v1/tokens", code).fails(403, "POLICY_DENIED");
    let all = json!({"name": "x", "sessions": ["*"]});
    post(&shop, "/v1/tokens", all).fails(403, "POLICY_DENIED");
    let late = post(&root, "/v1/tokens", json!({"name": "late"})).ok();
    let listed = server.get(&root, "/v1/tokens").ok();
    let of = |name: &str| {
        let rows = listed["tokens"].as_array().unwrap().iter();
        rows.clone().find(|row| row["name"] == name).cloned()
    };
    assert_eq!(late["about"]["expires"], of("root").unwrap()["expires"]);
    let own = post(&shop, "/v1/tokens", json!({"name": "shop-ci"})).ok();
    assert_eq!(own["about"]["sessions"], json!(["shop-*"]));
    assert_eq!(own["about"]["scopes"], json!(["read", "write"]));
    let seen = server.get(&shop, "/v1/tokens").ok();
    let rows = seen["tokens"].as_array().unwrap().iter();
    let names: Vec<&Value> = rows.map(|row| &row["name"]).collect();
    assert_eq!(names, ["shop", "shop-ci"]);
    delete(&shop, "/v1/tokens/plain").fails(404, "NOT_FOUND");
    server.get(&plain, "/v1/sessions").ok();
    delete(&shop, "/v1/tokens/shop-ci").ok();
    server
        .get(own["token"].as_str().unwrap(), "/v1/sessions")
        .fails(401, "UNAUTHORIZED");
    for wrong in [
        json!({"name": "a/b"}),
        json!({"name": "ci"}),
        json!({"name": "y", "scopes": ["everything"]}),
        json!({"name": "y", "scope": ["read"]}),
        json!({"name": "y", "expires": "yesterday"}),
        json!({}),
    ] {
        post(&root, "/v1/tokens", wrong).fails(400, "INVALID_INPUT");
    }

    // Who did that is in the log, without the tokens.
    let last = server.get(&root, "/v1/audit?limit=3");
    let lines = last.ok()["lines"].as_array().unwrap().clone();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let all = server.get(&root, "/v1/audit").text();
    for part in [
        "token_create",
        "token_revoke",
        "\"ci\"",
        "\"shop-ci\"",
        "root",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert!(!all.contains("szk_"), "{all}");
    let first = server.get(&root, "/v1/audit?after=0&limit=1").ok();
    assert_eq!(first["lines"][0]["seq"], 1, "{first}");
    let none = server.get(&root, "/v1/audit?session=other").ok();
    assert_eq!(none["lines"], json!([]));
    // It sees its sessions, and what concerns none is none of them.
    assert_eq!(server.get(&shop, "/v1/audit").ok()["lines"], json!([]));
    for wrong in ["limit=0", "limit=many", "first=1"] {
        let path = format!("/v1/audit?{wrong}");
        server.get(&root, &path).fails(400, "INVALID_INPUT");
    }
    let checked = server.get(&root, "/v1/audit/check").ok();
    assert_eq!(checked["good"], true, "{checked}");

    post(&shop, "/v1/drain", Value::Null).fails(403, "POLICY_DENIED");
    let drained = post(&root, "/v1/drain", Value::Null);
    assert_eq!(drained.status, 202, "{drained:?}");
    server.ask("GET", "/readyz", &[], "").fails(503, "DRAINING");
    assert_eq!(server.running.end().code, Some(0));
}
