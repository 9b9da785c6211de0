//! Web pages of origins that the server was told to answer.

use super::{Server, token};
use crate::harness::TestEnv;

#[test]
fn pages_of_a_named_origin_ask_with_a_token_and_no_others() {
    let env = TestEnv::new();
    let serve = ["serve", "--listen", ":0", "--json"];
    let named = ["--origin", "https://app.example"];
    let server = Server::of(env.szk(serve.iter().chain(&named).copied()).start());
    let me = token(&env, "me", &[]);
    let bearer = format!("Bearer {me}");
    let auth = ("Authorization", bearer.as_str());
    let app = ("Origin", "https://app.example");
    let evil = ("Origin", "https://evil.example");
    let cross = ("Sec-Fetch-Site", "cross-site");
    let path = "/v1/sessions";

    // The browser asks first.
    let asks = ("Access-Control-Request-Method", "POST");
    let may = server.ask("OPTIONS", path, &[app, cross, asks], "");
    assert_eq!(may.status, 204, "{may:?}");
    assert_eq!(may.headers["access-control-allow-origin"], app.1);
    let headers = &may.headers["access-control-allow-headers"];
    assert!(headers.contains("authorization"), "{headers}");
    assert!(!headers.contains("szk-dashboard"), "{headers}");
    assert!(!may.headers.contains_key("access-control-allow-credentials"));

    let read = server.ask("GET", path, &[app, cross, auth], "");
    read.ok();
    assert_eq!(read.headers["access-control-allow-origin"], app.1);
    assert_eq!(read.headers["vary"], "origin");
    // It reads what went wrong, too.
    let refused = server.ask("GET", path, &[app, cross], "");
    refused.fails(401, "UNAUTHORIZED");
    assert_eq!(refused.headers["access-control-allow-origin"], app.1);

    for wrong in [
        server.ask("OPTIONS", path, &[evil, cross, asks], ""),
        server.ask("GET", path, &[evil, cross, auth], ""),
        server.ask("GET", path, &[app, evil, auth], ""),
        server.ask("GET", path, &[cross, auth], ""),
    ] {
        wrong.fails(403, "POLICY_DENIED");
        assert!(!wrong.headers.contains_key("access-control-allow-origin"));
    }

    // The dashboard and its cookie are no part of it.
    let own = server.url.clone();
    let script = [
        ("Origin", own.as_str()),
        ("Szk-Dashboard", "1"),
        ("Content-Type", "application/json"),
    ];
    let body = format!("{{\"token\": \"{me}\"}}");
    let reply = server.ask("POST", "/dashboard/login", &script, &body);
    let cookie = reply.headers["set-cookie"].split(';').next().unwrap();
    let cookie = ("Cookie", cookie);
    server.ask("GET", path, &[cookie], "").ok();
    server
        .ask("GET", path, &[cookie, app, cross], "")
        .fails(401, "UNAUTHORIZED");
    let login = [app, script[1], script[2]];
    server
        .ask("POST", "/dashboard/login", &login, &body)
        .fails(403, "POLICY_DENIED");
}
