//! Operations over HTTP: routes, inputs, answers in every form, and what outlives the server.

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{SOON, Signal, Site, TestEnv, wait_until};

fn site() -> Site {
    Site::plan()
        .page(
            "/",
            "<title>home</title><h1>Home</h1><button onclick=\"document.title = 'pressed ' + (window.times = (window.times || 0) + 1)\">Press</button>",
        )
        .serve()
}

#[test]
fn a_session_is_opened_worked_looked_at_and_closed() {
    let (env, site) = (TestEnv::new(), site());
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    let post = |path: &str, input: Value| server.call(&all, "POST", path, &input);

    let opened = post(
        "/v1/sessions",
        json!({"session": "work", "url": site.url("/")}),
    );
    assert_eq!(opened.status, 201, "{}", opened.text());
    assert_eq!(opened.headers["location"], "/v1/sessions/work");
    assert_eq!(post("/v1/sessions/work/start", json!({})).status, 200);
    let list = server.get(&all, "/v1/sessions?open_only=true").ok();
    assert_eq!(list["sessions"][0]["session"], "work");

    let page = server
        .get(&all, "/v1/sessions/work/snapshot?mode=full")
        .ok();
    assert!(page.to_string().contains("Press"), "{page}");
    let pressed = post(
        "/v1/sessions/work/act",
        json!({"kind": "click", "selector": "button"}),
    );
    assert_eq!(pressed.status, 200, "{}", pressed.text());
    let tabs = server.get(&all, "/v1/sessions/work/tabs").ok();
    assert_eq!(tabs["tabs"][0]["title"], "pressed 1");
    let second = post("/v1/sessions/work/tabs/open", json!({"url": site.url("/")})).ok();
    let tab = second["tab"].as_str().unwrap();
    let closed = server.call(
        &all,
        "DELETE",
        &format!("/v1/sessions/work/tabs/{tab}"),
        &Value::Null,
    );
    assert_eq!(closed.ok()["tabs"].as_array().unwrap().len(), 1);

    let picture = server.get(&all, "/v1/sessions/work/screenshot");
    assert_eq!(picture.headers["content-type"], "image/png");
    assert!(picture.body.starts_with(b"\x89PNG"), "{}", picture.status);
    let pdf = post("/v1/sessions/work/pdf", json!({}));
    assert_eq!(pdf.headers["content-type"], "application/pdf");
    assert!(pdf.body.starts_with(b"%PDF"), "{}", pdf.status);

    let bearer = format!("Bearer {all}");
    let with = |accept: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Accept", accept)];
        server.ask("GET", "/v1/sessions/work/screenshot", &headers, "")
    };
    assert!(with("application/json").ok()["width"].as_u64() > Some(0));
    let summary = with("text/plain");
    assert_eq!(summary.headers["content-type"], "text/plain; charset=utf-8");
    assert!(summary.text().contains("png"), "{}", summary.text());
    let events = with("text/event-stream").text();
    assert!(events.contains("event: result\ndata: {"), "{events}");

    // The same key does the same thing once.
    let once = |input: &Value| {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Idempotency-Key", "press"),
        ];
        server.ask(
            "POST",
            "/v1/sessions/work/act",
            &headers,
            &input.to_string(),
        )
    };
    let press = json!({"kind": "click", "selector": "button"});
    let (first, again) = (once(&press), once(&press));
    assert_eq!(first.ok(), again.ok());
    assert_eq!(
        once(&json!({"kind": "click", "selector": "h1"})).status,
        422
    );
    // Also as events, where the repetition tells the result only.
    let result = || {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "text/event-stream"),
            ("Idempotency-Key", "press as events"),
        ];
        let press = press.to_string();
        let events = server.ask("POST", "/v1/sessions/work/act", &headers, &press);
        let events = events.text();
        let result = events.split_once("event: result\n");
        result.expect(&events).1.to_owned()
    };
    assert_eq!(result(), result());
    let title = post(
        "/v1/sessions/work/run-code",
        json!({"code": "document.title"}),
    )
    .ok();
    assert_eq!(title["value"], "pressed 3");

    // Hanging up cancels a call, but not one with a key.
    let title = || {
        let code = json!({"code": "document.title"});
        post("/v1/sessions/work/run-code", code).ok()["value"].clone()
    };
    let hangs =
        json!({"code": "document.title = 'began'; await new Promise(() => {})"}).to_string();
    let auth = ("Authorization", bearer.as_str());
    let begun = server.begin("/v1/sessions/work/run-code", &[auth], &hangs);
    wait_until("it runs", SOON, || title() == "began");
    drop(begun);
    let log = env.in_profile("work", "keeper.log");
    wait_until("it is cancelled", SOON, || {
        std::fs::read_to_string(&log).unwrap().contains("CANCELLED")
    });
    let late = "document.title = 'began again'; await new Promise((done) => setTimeout(done, 1500)); document.title = 'done'";
    let keyed = [auth, ("Idempotency-Key", "late")];
    let body = json!({ "code": late }).to_string();
    let begun = server.begin("/v1/sessions/work/run-code", &keyed, &body);
    wait_until("it runs", SOON, || title() == "began again");
    drop(begun);
    wait_until("it runs to its end", SOON, || title() == "done");
    // The page would go on in either case; the call of the first request is the only one cancelled.
    let log = std::fs::read_to_string(&log).unwrap();
    assert_eq!(log.matches("CANCELLED").count(), 1, "{log}");

    let metrics = server.get(&all, "/metrics").text();
    assert!(
        metrics.contains("szk_calls_total{operation=\"browser_screenshot\",code=\"OK\"} 4"),
        "{metrics}"
    );
    assert!(
        metrics.contains("szk_sessions{status=\"open\"} 1"),
        "{metrics}"
    );
    let memory = metrics
        .lines()
        .find_map(|line| line.strip_prefix("szk_browser_memory_bytes{session=\"work\"} "));
    let memory: u64 = memory.expect("the browser's memory").parse().unwrap();
    assert!((20 << 20..4 << 30).contains(&memory), "{memory}");
    let closed = server
        .call(&all, "DELETE", "/v1/sessions/work", &Value::Null)
        .ok();
    assert_eq!(closed["saved"], true);
    let deleted = server
        .call(&all, "DELETE", "/v1/profiles/work", &Value::Null)
        .ok();
    assert_eq!(deleted["deleted"], json!(["work"]));
    server
        .get(&all, "/v1/sessions/work")
        .fails(404, "SESSION_NOT_FOUND");
}

#[test]
fn wrong_requests_say_what_is_wrong() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    let post = |path: &str, input: Value| server.call(&all, "POST", path, &input);
    server.get(&all, "/v2/sessions").fails(404, "NOT_FOUND");
    let wrong = server.call(&all, "DELETE", "/v1/sessions", &Value::Null);
    wrong.fails(405, "INVALID_INPUT");
    assert!(wrong.headers["allow"].contains("GET"), "{wrong:?}");
    let error =
        post("/v1/sessions/work/navigate", json!({"adress": "x"})).fails(400, "INVALID_INPUT");
    assert!(
        error["message"].as_str().unwrap().contains("adress"),
        "{error}"
    );
    post("/v1/sessions/work/navigate", json!([1])).fails(400, "INVALID_INPUT");
    post("/v1/sessions/work/navigate", json!({"session": "other"})).fails(400, "INVALID_INPUT");
    post(
        "/v1/sessions/..%2F..%2Fetc/navigate",
        json!({"url": "a.example"}),
    )
    .fails(400, "INVALID_INPUT");
    server
        .get(&all, "/v1/sessions/work/screenshot?quality=much")
        .fails(400, "INVALID_INPUT");
    server
        .get(&all, "/v1/sessions/work/logs")
        .fails(404, "SESSION_NOT_FOUND");
    server
        .get(&all, "/v1/sessions/%ff/snapshot")
        .fails(400, "INVALID_INPUT");
    let bearer = format!("Bearer {all}");
    let auth = ("Authorization", bearer.as_str());
    let path = "/v1/sessions/work/navigate";
    server
        .ask("POST", path, &[auth], "url=a")
        .fails(415, "INVALID_INPUT");
    let json = ("Content-Type", "application/json");
    server
        .ask("POST", path, &[auth, json], "{")
        .fails(400, "INVALID_INPUT");
    // More than the system keeps for either side: who is still sending gets the answer, and no reset.
    let long = format!("{{\"url\": \"{}\"}}", "x".repeat(40 << 20));
    server
        .ask("POST", path, &[auth, json], &long)
        .fails(413, "INVALID_INPUT");
    // Nothing was created on the way.
    assert_eq!(server.get(&all, "/v1/sessions").ok()["sessions"], json!([]));
}

#[test]
fn the_api_describes_itself_and_sessions_outlive_the_server() {
    let env = TestEnv::new();
    let all = token(&env, "all", &["--scope", "all"]);
    let mut server = Server::start(&env);
    let document = server.ask("GET", "/openapi.json", &[], "").ok();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/v1/sessions/{session}/act"]["post"].is_object());
    let page = server.ask("GET", "/docs", &[], "").text();
    assert!(page.contains("browser_navigate") && !page.contains("http-equiv"));
    assert_eq!(server.ask("GET", "/healthz", &[], "").ok()["status"], "ok");
    assert_eq!(server.ask("GET", "/readyz", &[], "").status, 200);
    assert_eq!(server.ask("GET", "/", &[], "").ok()["docs"], "/docs");

    server
        .call(&all, "POST", "/v1/sessions", &json!({"session": "work"}))
        .ok();
    let browser = env.browser().pid;
    server.running.signal(Signal::KILL);
    server.running.end();
    server = Server::start(&env);
    assert_eq!(
        server.get(&all, "/v1/sessions/work").ok()["sessions"][0]["status"],
        "open"
    );
    assert_eq!(env.browser().pid, browser);
    server.running.signal(Signal::TERM);
    assert_eq!(server.running.end().code, Some(0));
    assert_eq!(env.row("work").unwrap()["status"], "open");
    env.close("work");
}
