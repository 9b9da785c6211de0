//! Clients that are slow, long, ambiguous, or no longer allowed in.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Server, token};
use crate::harness::{PATIENTLY, TestEnv};

impl Server {
    /// Sends these bytes, and reads until the server closes the connection.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may refuse before it has read all of it.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENTLY)).unwrap();
        stream
    }

    /// Follows events, or whatever is at a path; returns the connection once the answer has begun.
    pub(super) fn follow(&self, token: &str, path: &str, more: &str) -> (TcpStream, String) {
        let mut stream = self.connect();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n{more}\r\n",
            self.port
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        until(&mut stream, &mut text, "\r\n\r\n");
        (stream, text)
    }
}

/// Reads until the other side closes; panics if it does not.
#[track_caller]
fn read(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    match stream.read_to_end(&mut all) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!(
                "the connection stays open: {}",
                String::from_utf8_lossy(&all)
            )
        }
        // A reset is an end as well.
        _ => String::from_utf8_lossy(&all).into_owned(),
    }
}

/// Reads on until the text has this in it.
#[track_caller]
fn until(stream: &mut TcpStream, text: &mut String, wanted: &str) {
    let mut some = [0; 4096];
    while !text.contains(wanted) {
        let read = stream.read(&mut some).expect("more of the answer");
        assert_ne!(read, 0, "it ended without `{wanted}`: {text}");
        text.push_str(&String::from_utf8_lossy(&some[..read]));
    }
}

fn statuses(answer: &str) -> Vec<&str> {
    let lines = answer.lines().filter(|line| line.contains("HTTP/1.1 "));
    lines
        .filter_map(|line| line.split("HTTP/1.1 ").nth(1)?.split(' ').next())
        .collect()
}

#[test]
fn a_slow_client_is_cut_off_and_holds_nobody_up() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let good = token(&env, "good", &[]);
    let began = Instant::now();
    let mut slow: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: 127")
            .unwrap();
    }
    assert_eq!(server.get(&good, "/v1/sessions").status, 200);
    let ends: Vec<_> = slow
        .into_iter()
        .map(|mut stream| thread::spawn(move || read(&mut stream)))
        .collect();
    for end in ends {
        let answer = end.join().expect("it ends");
        assert!(!answer.contains("200 OK"), "{answer}");
    }
    assert!(began.elapsed() > Duration::from_secs(8), "too early");
    server.get(&good, "/v1/sessions").ok();
}

#[test]
fn one_request_has_one_meaning() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let port = server.port;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let inner = format!("GET /healthz HTTP/1.1\r\n{host}\r\n");
    let check = |what: &str, head: String, body: &str| {
        let answer = server.raw(format!("{head}\r\n{body}").as_bytes());
        assert_eq!(statuses(&answer), ["400"], "{what}: {answer}");
    };
    check(
        "two lengths",
        format!(
            "POST /v1/sessions HTTP/1.1\r\n{host}Content-Length: 0\r\nContent-Length: {}\r\n",
            inner.len()
        ),
        &inner,
    );
    check(
        "an unknown coding",
        format!("POST /v1/sessions HTTP/1.1\r\n{host}Transfer-Encoding: chunked, x\r\n"),
        &inner,
    );
    check(
        "a folded header",
        format!("GET /healthz HTTP/1.1\r\n{host}X: a\r\n b\r\nConnection: close\r\n"),
        "",
    );
    check(
        "a space before the colon",
        format!("GET /healthz HTTP/1.1\r\n{host}Content-Length : 5\r\nConnection: close\r\n"),
        "12345",
    );
    // Of a length and a coding the coding counts, and nothing after that request is read as another one.
    let both = format!(
        "POST /healthz HTTP/1.1\r\n{host}Content-Length: {}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n{inner}",
        5 + inner.len()
    );
    let answer = server.raw(both.as_bytes());
    assert_eq!(statuses(&answer).len(), 1, "{answer}");
    assert!(!answer.contains("200 OK"), "{answer}");
    let long = format!(
        "GET /healthz HTTP/1.1\r\n{host}X: {}\r\n",
        "a".repeat(1 << 20)
    );
    let answer = server.raw(format!("{long}\r\n").as_bytes());
    assert!(!answer.contains("200 OK"), "{answer}");
}

#[test]
fn events_are_followed_from_where_they_broke_off() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    env.open("work");
    let path = "/v1/sessions/work/events";
    let (mut stream, mut text) = server.follow(&all, path, "");
    until(&mut stream, &mut text, ": following");
    let open = |label: &str| {
        let input = json!({"label": label});
        server
            .call(&all, "POST", "/v1/sessions/work/tabs/open", &input)
            .ok();
    };
    open("one");
    until(&mut stream, &mut text, "event: tab_opened");
    let id = text.rsplit("\nid: ").next().unwrap();
    let id: u64 = id.split('\n').next().unwrap().trim().parse().unwrap();
    drop(stream);
    open("two");
    let (mut stream, mut text) = server.follow(&all, path, &format!("Last-Event-ID: {id}\r\n"));
    until(&mut stream, &mut text, "event: tab_opened");
    assert!(text.contains(&format!("\nid: {}\n", id + 1)), "{text}");
    let bearer = format!("Bearer {all}");
    let wrong = [("Authorization", bearer.as_str()), ("Last-Event-ID", "x")];
    server
        .ask("GET", path, &wrong, "")
        .fails(400, "INVALID_INPUT");
    let other = token(&env, "other", &["--session", "shop-*"]);
    server.get(&other, path).fails(404, "SESSION_NOT_FOUND");
    let writer = token(&env, "writer", &["--scope", "write"]);
    server.get(&writer, path).fails(403, "POLICY_DENIED");
    env.close("work");
    // The stream ends with the session.
    until(&mut stream, &mut text, "event: closing");
    read(&mut stream);
}

#[test]
fn what_a_token_has_open_ends_with_it() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let all = token(&env, "all", &["--scope", "all"]);
    env.open("work");
    let key = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let (mut tunnel, head) = server.follow(&all, "/v1/sessions/work/cdp", key);
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    let (mut events, _) = server.follow(&all, "/v1/sessions/work/events", "");
    let headers = [("Authorization", format!("Bearer {all}"))];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let wait = json!({"kind": "wait", "text": "never", "timeout_ms": 60000}).to_string();
    let mut call = server.begin("/v1/sessions/work/act", &headers, &wait);
    call.set_read_timeout(Some(PATIENTLY)).unwrap();
    env.szk(["token", "revoke", "all"]).ok();
    read(&mut tunnel);
    read(&mut events);
    let mut text = String::new();
    until(&mut call, &mut text, "UNAUTHORIZED");
    env.close("work");
}
