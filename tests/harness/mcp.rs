//! An MCP client that writes its lines by hand, so it can also write wrong ones.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::program::{Szk, ended_within};
use super::schema;
use super::wait::{PATIENTLY, SOON};

/// Where a failed call carries its failure.
const FAILURE: &str = "szk/failure";

/// A client with its own server process.
pub(crate) struct Mcp {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Messages that arrived while we waited for another.
    early: Vec<Value>,
    next_id: u64,
}

impl Mcp {
    /// Starts a server without sending anything.
    pub(crate) fn start(szk: Szk) -> Self {
        let mut child = szk.spawn_quiet();
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("whole lines of UTF-8");
                let value = serde_json::from_str(&line)
                    .unwrap_or_else(|_| panic!("stdout carries JSON-RPC and nothing else: {line}"));
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            early: Vec::new(),
            next_id: 1,
        }
    }

    /// Starts a server and negotiates a protocol version.
    #[track_caller]
    pub(crate) fn open(szk: Szk, version: &str) -> Self {
        let mut mcp = Self::start(szk);
        let answer = mcp.initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        mcp
    }

    /// The same for a program with this name.
    #[track_caller]
    pub(crate) fn open_as(szk: Szk, version: &str, name: &str) -> Self {
        let mut mcp = Self::start(szk);
        let answer = mcp.initialize_as(version, name);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        mcp
    }

    /// Shakes hands; returns the answer as it came.
    #[track_caller]
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        self.initialize_as(version, "e2e")
    }

    #[track_caller]
    fn initialize_as(&mut self, version: &str, name: &str) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "0"}});
        let id = self.request("initialize", params);
        let answer = self.answer(id);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Writes bytes as they are.
    #[track_caller]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.stdin
            .as_mut()
            .expect("stdin is open")
            .write_all(bytes)
            .expect("the server reads");
    }

    /// Writes one message.
    #[track_caller]
    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request; returns its id.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a tool call; returns its id.
    #[track_caller]
    pub(crate) fn post(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The next message that `wanted` accepts; others are kept for later.
    #[track_caller]
    pub(crate) fn next(
        &mut self,
        what: &str,
        limit: Duration,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at);
        }
        let deadline = Instant::now() + limit;
        loop {
            match self
                .lines
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(message) if wanted(&message) => return message,
                Ok(message) => self.early.push(message),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no {what} within {limit:?}; came: {:?}", self.early)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("stdout ended before {what}; came: {:?}", self.early)
                }
            }
        }
    }

    /// Waits for the answer to a request.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.next("answer", PATIENTLY, |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// The answer to a request, if it comes in time.
    pub(crate) fn answer_within(&mut self, id: u64, limit: Duration) -> Option<Value> {
        let deadline = Instant::now() + limit;
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        if let Some(at) = self.early.iter().position(is_it) {
            return Some(self.early.remove(at));
        }
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left).ok()? {
                message if is_it(&message) => return Some(message),
                message => self.early.push(message),
            }
        }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool; the result as it came, which must fit what the tool declares.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.post(tool, arguments);
        let result = self.answer(id)["result"].clone();
        if let (Some(spec), Some(data)) = (szk_tools::find(tool), result.get("structuredContent")) {
            schema::fits(tool, &(spec.output)(), data);
        }
        result
    }

    /// Calls a tool that must succeed; returns its structured content.
    #[track_caller]
    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        success(&self.call(tool, arguments))
    }

    /// Calls a tool that must fail with this code; returns the failure.
    #[track_caller]
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let result = self.call(tool, arguments);
        let failure = failure(&result);
        assert_eq!(failure["code"], code, "{result:#}");
        failure
    }

    /// Calls a tool that does what it can and falls short of the request; returns its structured
    /// content.
    #[track_caller]
    pub(crate) fn short(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result:#}");
        result["structuredContent"].clone()
    }

    /// Opens or joins a profile.
    #[track_caller]
    pub(crate) fn open_session(&mut self, profile: &str) -> Value {
        self.ok("session_open", json!({"session": profile}))
    }

    /// Runs JavaScript in the current tab.
    #[track_caller]
    pub(crate) fn eval(&mut self, profile: &str, code: &str) -> Value {
        self.ok(
            "browser_run_code",
            json!({"session": profile, "code": code}),
        )["value"]
            .clone()
    }

    /// Proves that the server is alive.
    #[track_caller]
    pub(crate) fn lives(&mut self) {
        let id = self.request("ping", json!({}));
        assert_eq!(self.answer(id)["result"], json!({}));
    }

    /// Sends the server a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it still runs");
    }

    /// Closes the server's stdin.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for the server to exit.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        ended_within(&mut self.child, SOON, &"szk mcp")
    }

    /// Leaves as clients do: closes stdin and waits.
    #[track_caller]
    pub(crate) fn leave(mut self) {
        self.hang_up();
        let status = self.ended();
        assert!(status.success(), "{status}");
    }
}

/// The structured content of a result that must be a success.
#[track_caller]
pub(crate) fn success(result: &Value) -> Value {
    assert_eq!(result["isError"].as_bool(), Some(false), "{result:#}");
    result["structuredContent"].clone()
}

/// The failure of a result that must be a failure.
#[track_caller]
pub(crate) fn failure(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result:#}");
    result["_meta"][FAILURE].clone()
}

impl Drop for Mcp {
    fn drop(&mut self) {
        // Both fail for a process that has exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
