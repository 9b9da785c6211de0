//! A hand-off to a person on another machine: its live view through the server.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::{Server, token};
use crate::harness::{PATIENTLY, TestEnv};

#[test]
fn a_person_on_another_machine_takes_over_through_the_server() {
    let env = TestEnv::new();
    let serve = ["serve", "--listen", ":0", "--json", "--host", "szk.example"];
    let server = Server::of(env.szk(serve).start());
    let me = token(&env, "me", &[]);
    env.open("work");
    let host = format!("szk.example:{}", server.port);
    let bearer = format!("Bearer {me}");
    let there = ("Host", host.as_str());
    let headers = [
        there,
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
    ];
    let asked = json!({"reason": "Enter the code"}).to_string();
    let path = "/v1/sessions/work/handoff";
    let begun = server.ask("POST", path, &headers, &asked).ok();
    let url = begun["url"].as_str().unwrap();
    let at = url.strip_prefix(&format!("http://{host}")).unwrap();
    assert!(at.starts_with("/handoff/work/"), "{url}");
    let text = [headers.as_slice(), &[("Accept", "text/plain")]].concat();
    let told = server.ask("POST", path, &text, "{}").text();
    assert!(told.contains(url) && !told.contains("127.0.0.1"), "{told}");
    // Here the keeper's own address lets a person approve calls, too.
    let here = server.call(&me, "POST", path, &json!({})).ok();
    let local = here["url"].as_str().unwrap();
    assert!(
        local.starts_with("http://127.0.0.1:") && !local.contains("/handoff/"),
        "{local}"
    );

    // Lists say that somebody is waited for, and do not let in.
    let listed = server.get(&me, "/v1/sessions/work");
    let row = listed.ok()["sessions"][0].clone();
    assert_eq!(row["handoff"]["reason"], "Enter the code", "{row}");
    assert_eq!(row["handoff"]["tab"], "t1", "{row}");
    assert!(row["since"].is_string(), "{row}");
    assert!(row["memory_bytes"].as_u64() > Some(10 << 20), "{row}");
    let secret = at.split('/').nth(3).unwrap();
    assert!(secret.len() == 64 && !listed.text().contains(secret));
    let list = env.szk(["list"]).ok().stderr;
    assert!(
        list.contains("t1 waits for a person: Enter the code"),
        "{list}"
    );

    // The link may stand on any page, but opens in no frame.
    let follows = |dest: &str| {
        let fetch = [
            there,
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", dest),
        ];
        server.ask("GET", at, &fetch, "")
    };
    let page = follows("document");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.text().contains("szk: your turn"), "{page:?}");
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    follows("iframe").fails(403, "POLICY_DENIED");
    let script = server.ask("GET", &format!("{at}view.js"), &[there], "");
    assert!(script.headers["content-type"].starts_with("text/javascript"));

    // Pictures come through its socket.
    let shake = |path: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.set_read_timeout(Some(PATIENTLY)).unwrap();
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Origin: http://{host}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: c3prIGlzIGEgYnJvd3Nlcg==\r\n\r\n"
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut seen = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&seen).contains("Enter the code") {
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(length) => seen.extend_from_slice(&piece[..length]),
            }
        }
        String::from_utf8_lossy(&seen).into_owned()
    };
    let seen = shake(&format!("{at}live"));
    assert!(seen.starts_with("HTTP/1.1 101"), "{seen}");
    assert!(seen.contains("Enter the code"), "{seen}");

    let wrong = at.replace(secret, &"0".repeat(64));
    for nothing in [&wrong, "/handoff/other/0/", &at.replace("work", "other")] {
        assert_eq!(server.ask("GET", nothing, &[there], "").status, 404);
    }
    env.szk(["handoff", "work", "--done"]).ok();
    assert_eq!(follows("document").status, 404);
    env.close("work");
}
