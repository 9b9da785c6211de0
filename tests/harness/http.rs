//! Plain HTTP requests, header by header, for listeners that check headers.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::wait::SOON;

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends a request to a port of 127.0.0.1, with exactly these headers, and reads the whole answer.
#[track_caller]
pub(crate) fn request(port: u16, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is open");
    stream.set_read_timeout(Some(SOON)).unwrap();
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    // Chromium's own server sends a length and keeps the connection open all the same.
    while !is_whole(&answer) {
        match stream.read(&mut part).expect("the answer ends") {
            0 => break,
            read => answer.extend_from_slice(&part[..read]),
        }
    }
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("{answer}"));
    Reply {
        status,
        body: body.to_owned(),
    }
}

/// Whether an answer with a declared length is complete.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let named = name.eq_ignore_ascii_case("content-length");
        named.then(|| value.trim().parse().ok()).flatten()
    });
    length.is_some_and(|length: usize| answer.len() >= head.len() + 4 + length)
}

/// A `GET` as browsers and tools send it.
#[track_caller]
pub(crate) fn get(port: u16, path: &str) -> Reply {
    request(port, "GET", path, &[("Host", &format!("127.0.0.1:{port}"))])
}

/// Whether anyone listens on a port of 127.0.0.1.
pub(crate) fn is_open(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

/// Splits an address of this machine into port and path.
#[track_caller]
pub(crate) fn parts(url: &str) -> (u16, String) {
    let rest = url.split_once("://").expect("an address").1;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let port = authority
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok())
        .expect("a port");
    (port, format!("/{path}"))
}
