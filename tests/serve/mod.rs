//! `szk serve`: operations over HTTP, who may use them, and programs that join through the server.

mod admin;
mod audit;
mod cdp;
mod conformance;
mod cors;
mod dashboard;
mod doors;
mod drain;
mod files;
mod limits;
mod live_view;
mod mcp;
mod openapi;
mod presence;
mod rest;
mod tls;
mod tokens;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::harness::{PATIENTLY, Running, TestEnv, http};

/// A running server.
pub(crate) struct Server {
    running: Running,
    pub(crate) url: String,
    port: u16,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    /// Names in lower case.
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!(matches!(self.status, 200 | 201), "{}", self.text());
        self.json()
    }

    /// The failure, which must have this status and code.
    #[track_caller]
    pub(crate) fn fails(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        let error = self.json()["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(error["status"], status, "{error}");
        assert!(
            error["hint"].is_string() || code == "INVALID_INPUT",
            "{error}"
        );
        error
    }
}

impl Server {
    pub(crate) fn start(env: &TestEnv) -> Self {
        Self::of(env.szk(["serve", "--listen", ":0", "--json"]).start())
    }

    /// A server whose tokens are clients of their own, which `SZK_CLIENT` of the tests prevents.
    fn with_own_clients(env: &TestEnv) -> Self {
        let serve = env.szk(["serve", "--listen", ":0", "--json"]);
        Self::of(serve.env("SZK_CLIENT", "").start())
    }

    pub(crate) fn of(mut running: Running) -> Self {
        let line = running.until("an address", |line| line.starts_with('{'));
        let told: Value = serde_json::from_str(line.trim()).unwrap();
        let url = told["url"].as_str().unwrap().to_owned();
        let (port, _) = http::parts(&url);
        Self { running, url, port }
    }

    /// Sends a request and reads the whole answer. Without a Host among the headers, it is the server's.
    #[track_caller]
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENTLY)).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .unwrap();
        Self::finish(stream)
    }

    /// Reads the whole answer to a request that asked to close the connection.
    #[track_caller]
    fn finish(mut stream: TcpStream) -> Reply {
        let mut answer = Vec::new();
        // A server that refuses a long body may close before it has read all of it.
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&answer)));
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let headers = head.lines().skip(1).filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_lowercase(), value.to_owned()))
        });
        Reply {
            status: status.unwrap_or_else(|| panic!("{head}")),
            headers: headers.collect(),
            body: answer[end + 4..].to_vec(),
        }
    }

    /// Posts bytes.
    #[track_caller]
    fn send(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(PATIENTLY)).unwrap();
        let mut text = format!(
            "POST {path} HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n",
            self.port,
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
        // A server that refuses the request need not read all of it.
        let _ = stream.write_all(body);
        Self::finish(stream)
    }

    /// Sends a request with a JSON body; the client hangs up when the connection is dropped.
    pub(crate) fn begin(&self, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        let mut text = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            self.port,
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .unwrap();
        stream
    }

    /// A request with a token and, unless it is null, a JSON body.
    #[track_caller]
    pub(crate) fn call(&self, token: &str, method: &str, path: &str, input: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("Authorization", bearer.as_str())];
        let mut body = String::new();
        if !input.is_null() {
            headers.push(("Content-Type", "application/json"));
            body = input.to_string();
        }
        self.ask(method, path, &headers, &body)
    }

    #[track_caller]
    fn get(&self, token: &str, path: &str) -> Reply {
        self.call(token, "GET", path, &Value::Null)
    }
}

/// Makes a token with these further arguments.
#[track_caller]
pub(crate) fn token(env: &TestEnv, name: &str, args: &[&str]) -> String {
    let words = ["token", "create", name, "--json"];
    let made = env.szk(words.iter().chain(args).copied()).json();
    made["token"].as_str().expect("a token").to_owned()
}
