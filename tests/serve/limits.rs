//! What `[server]` limits: open sessions, the queue before them, requests per minute, and time.

use std::io::Read;
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Server, token};
use crate::harness::{PATIENTLY, SOON, TestEnv, wait_until};

/// Asks to open a session, and does not wait for the answer.
fn ask_to_open(server: &Server, token: &str, session: &str) -> TcpStream {
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Connection", "close")];
    let body = json!({"session": session}).to_string();
    let stream = server.begin("/v1/sessions", &headers, &body);
    stream.set_read_timeout(Some(PATIENTLY)).unwrap();
    stream
}

#[track_caller]
fn until_waiting(server: &Server, token: &str, count: usize) {
    let line = format!("szk_queue {count}\n");
    wait_until(&line, SOON, || {
        server.get(token, "/metrics").text().contains(&line)
    });
}

#[track_caller]
fn close(server: &Server, token: &str, session: &str) {
    let path = format!("/v1/sessions/{session}");
    server.call(token, "DELETE", &path, &Value::Null).ok();
}

#[test]
fn tokens_take_turns_to_open_sessions() {
    let env = TestEnv::new();
    env.config("[server]\nmax_sessions = 1\nmax_queue = 3\n");
    let (a, b) = (token(&env, "a", &[]), token(&env, "b", &[]));
    let server = Server::start(&env);
    let open = |token: &str, name: &str| {
        server.call(token, "POST", "/v1/sessions", &json!({"session": name}))
    };
    assert_eq!(open(&a, "one").status, 201);
    let two = ask_to_open(&server, &a, "two");
    until_waiting(&server, &a, 1);
    let three = ask_to_open(&server, &a, "three");
    until_waiting(&server, &a, 2);
    let four = ask_to_open(&server, &b, "four");
    until_waiting(&server, &a, 3);

    let refused = open(&a, "five");
    let error = refused.fails(429, "LIMIT_REACHED");
    assert!(
        error["message"].as_str().unwrap().contains("number 4"),
        "{error}"
    );
    assert_eq!(error["retryable"], true, "{error}");
    assert_eq!(error["effect"], "none", "{error}");
    assert_eq!(refused.headers["retry-after"], "5");
    // What is open needs no place, and what does not exist gets none.
    assert_eq!(open(&a, "one").status, 200);
    server
        .get(&a, "/v1/sessions/nobody/snapshot")
        .fails(404, "SESSION_NOT_FOUND");

    close(&server, &a, "one");
    assert_eq!(Server::finish(two).status, 201);
    close(&server, &a, "two");
    // The other token has had no turn yet.
    assert_eq!(Server::finish(four).status, 201);
    until_waiting(&server, &a, 1);
    assert!(env.row("three").is_none());
    // Whoever hangs up waits no longer.
    drop(three);
    until_waiting(&server, &a, 0);
    close(&server, &b, "four");
}

#[test]
fn what_nothing_uses_is_saved_and_closed() {
    let env = TestEnv::new();
    env.config("[server]\nidle = 5\n");
    let (a, b) = (token(&env, "a", &[]), token(&env, "b", &[]));
    let all = token(&env, "all", &["--scope", "all"]);
    let server = Server::with_own_clients(&env);
    // Opened by somebody else: the server leaves it alone.
    env.szk(["open", "other", "--detach"]).ok();
    let mut agent = env.mcp();
    for name in ["kept", "work"] {
        let input = json!({"session": name});
        let opened = server.call(&a, "POST", "/v1/sessions", &input);
        assert_eq!(opened.status, 201);
        if name == "kept" {
            agent.ok("session_open", json!({"session": name}));
        }
    }
    // Another token is present, too.
    server.get(&b, "/v1/sessions/work/snapshot").ok();
    let status = |name: &str| env.row(name).unwrap()["status"].clone();
    wait_until("it is closed", PATIENTLY, || status("work") == "stored");
    let log = std::fs::read_to_string(env.in_profile("work", "keeper.log")).unwrap();
    let closes = log.lines().find(|line| line.contains("session_close"));
    assert!(
        closes.is_some_and(|line| line.contains("szk serve")),
        "{log}"
    );
    assert_eq!(status("kept"), "open");
    // A connected program that sends nothing does not keep it.
    let key = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let (mut program, head) = server.follow(&all, "/v1/sessions/kept/cdp", key);
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    drop(agent);
    wait_until("it is closed, too", PATIENTLY, || {
        status("kept") == "stored"
    });
    let mut rest = Vec::new();
    program.read_to_end(&mut rest).unwrap();
    assert_eq!(status("other"), "open");
    env.close("other");
}

#[test]
fn without_free_memory_nothing_opens() {
    let env = TestEnv::new();
    env.config("[server]\nmemory_floor = 1000000000\nmax_queue = 0\n");
    let a = token(&env, "a", &[]);
    let server = Server::start(&env);
    let input = json!({"session": "work"});
    let refused = server.call(&a, "POST", "/v1/sessions", &input);
    let error = refused.fails(429, "LIMIT_REACHED");
    assert!(
        error["message"].as_str().unwrap().contains("number 1"),
        "{error}"
    );
    assert!(env.row("work").is_none());
}

#[test]
fn a_wait_ends_with_the_time_of_the_request() {
    let env = TestEnv::new();
    env.config("[server]\nmemory_floor = 1000000000\nrequest_timeout = 1\n");
    let a = token(&env, "a", &[]);
    let server = Server::start(&env);
    let input = json!({"session": "work"});
    let late = server.call(&a, "POST", "/v1/sessions", &input);
    let error = late.fails(504, "TIMEOUT");
    assert_eq!(error["effect"], "none", "{error}");
    until_waiting(&server, &a, 0);
    assert!(env.row("work").is_none());
}

#[test]
fn each_token_has_so_many_requests_a_minute() {
    let env = TestEnv::new();
    env.config("[server]\nrequests_per_minute = 2\n");
    let (a, b) = (token(&env, "a", &[]), token(&env, "b", &[]));
    let server = Server::start(&env);
    for _ in 0..2 {
        server.get(&a, "/v1/sessions").ok();
    }
    let refused = server.get(&a, "/v1/sessions");
    refused.fails(429, "LIMIT_REACHED");
    let seconds: u64 = refused.headers["retry-after"].parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    server.get(&a, "/metrics").fails(429, "LIMIT_REACHED");
    server.get(&b, "/v1/sessions").ok();
    assert_eq!(server.ask("GET", "/healthz", &[], "").status, 200);
}
