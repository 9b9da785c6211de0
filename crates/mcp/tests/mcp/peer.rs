//! The client's end: raw lines in, parsed lines out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use szk_mcp::{ServeError, Signal, Tools};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::fake::Fake;

/// Longest wait for anything expected; only a failing test uses it up.
const SOON: Duration = Duration::from_secs(10);

/// Waits for something expected.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(SOON, future)
        .await
        .expect("it should have come by now")
}

/// A client and the server it talks to.
pub(crate) struct Peer {
    /// Feeds a thread that writes: a full pipe must not block the runtime that drains it.
    input: Option<mpsc::UnboundedSender<Vec<u8>>>,
    lines: mpsc::UnboundedReceiver<Value>,
    server: JoinHandle<Result<(), ServeError>>,
    signal: Option<oneshot::Sender<Signal>>,
}

impl Peer {
    /// Starts a server without a handshake.
    pub(crate) fn start(fake: &Arc<Fake>) -> Self {
        Self::with(fake, Tools::usual().unwrap())
    }

    /// The same with the given tools.
    pub(crate) fn with(fake: &Arc<Fake>, tools: Tools) -> Self {
        let (server_input, mut pipe) = std::io::pipe().unwrap();
        let (input, mut bytes) = mpsc::unbounded_channel::<Vec<u8>>();
        std::thread::spawn(move || {
            while let Some(bytes) = bytes.blocking_recv() {
                if pipe.write_all(&bytes).is_err() {
                    break;
                }
            }
        });
        let (output, server_output) = std::io::pipe().unwrap();
        let (signal, signalled) = oneshot::channel();
        let server = tokio::spawn(szk_mcp::serve_on(
            fake.clone(),
            tools,
            server_input,
            server_output,
            async move {
                match signalled.await {
                    Ok(signal) => signal,
                    Err(_) => std::future::pending().await,
                }
            },
        ));
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("whole lines of UTF-8");
                let value = serde_json::from_str(&line).expect("nothing but JSON");
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        Self {
            input: Some(input),
            lines,
            server,
            signal: Some(signal),
        }
    }

    /// Starts a server and negotiates `version` with `initialize`.
    pub(crate) async fn open(fake: &Arc<Fake>, version: &str) -> Self {
        let mut peer = Self::start(fake);
        let answer = peer.initialize(version).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        peer
    }

    /// Sends `initialize` with the id `init`, then `initialized` after the answer.
    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        self.request(
            "init",
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}),
        );
        let answer = self.next().await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_ref().expect("the input is open");
        input.send(bytes.into()).unwrap();
    }

    /// Sends one line.
    pub(crate) fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request.
    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a tool call.
    pub(crate) fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.request(
            id,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        );
    }

    /// The next line from the server.
    pub(crate) async fn next(&mut self) -> Value {
        soon(self.lines.recv())
            .await
            .expect("the server is still there")
    }

    /// Proves that the server is alive and that nothing was pending before this.
    pub(crate) async fn lives(&mut self) {
        self.request("lives", "tools/list", json!({}));
        let answer = self.next().await;
        assert_eq!(answer["id"], "lives", "{answer}");
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }

    /// Closes the client's side.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// Sends a signal.
    pub(crate) fn signal(&mut self, signal: Signal) {
        let sender = self.signal.take().expect("one signal a test");
        sender.send(signal).unwrap();
    }

    /// Waits for the end; returns the remaining messages and how the server ended.
    pub(crate) async fn end(mut self) -> (Vec<Value>, Result<(), ServeError>) {
        let result = soon(&mut self.server).await.unwrap();
        // A server that is cut off leaves its threads behind, and they hold the pipe.
        //
        drop(self.input);
        let mut rest = Vec::new();
        while let Some(line) = soon(self.lines.recv()).await {
            rest.push(line);
        }
        (rest, result)
    }
}
