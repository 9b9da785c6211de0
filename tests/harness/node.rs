//! Playwright and Puppeteer from npm, controlled line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::env::TestEnv;
use super::wait::PATIENTLY;

/// Time limit for a script that runs to its end.
const SCRIPT: Duration = Duration::from_secs(300);

/// A Node process that is connected to an endpoint, or to a browser that it started.
pub(crate) struct Driver {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Value>,
    next_id: u64,
}

impl Driver {
    /// Connects Playwright by `connectOverCDP`.
    pub(crate) fn playwright(env: &TestEnv, endpoint: &Value) -> Self {
        Self::connect(env, "playwright", endpoint)
    }

    /// Connects Puppeteer by `connect`.
    pub(crate) fn puppeteer(env: &TestEnv, endpoint: &Value) -> Self {
        Self::connect(env, "puppeteer", endpoint)
    }

    /// Lets a tool start `browser` itself, as its users do: `playwright`, `puppeteer`, or `stealth`
    /// (Playwright with the plugin of that name). `page` is a new one.
    pub(crate) fn control(env: &TestEnv, tool: &str, browser: &Path) -> Self {
        let mut command = Self::command(env, &format!("control-{tool}"));
        command.env("CONTROL_BROWSER", browser);
        Self::start(command)
    }

    /// Connects a bare WebSocket, which can do what no library would: see `driver.mjs`.
    pub(crate) fn raw(env: &TestEnv, endpoint: &Value) -> Self {
        Self::connect(env, "raw", endpoint)
    }

    /// Starts a third-party MCP server from a shell line, in a folder with the npm packages.
    /// `call(name, arguments)` calls one of its tools.
    pub(crate) fn server(env: &TestEnv, line: &str) -> Self {
        let mut command = Self::command(env, "server");
        command.env("SERVER_COMMAND", line);
        Self::start(command)
    }

    fn connect(env: &TestEnv, tool: &str, endpoint: &Value) -> Self {
        let text = |key: &str| endpoint[key].as_str().expect("an endpoint").to_owned();
        let mut command = Self::command(env, tool);
        command
            .env("SZK_CDP_ENDPOINT", text("http_url"))
            .env("SZK_CDP_WS_ENDPOINT", text("ws_url"));
        Self::start(command)
    }

    fn command(env: &TestEnv, tool: &str) -> Command {
        let mut command = env.command("node");
        command.arg(folder().join("driver.mjs")).arg(tool);
        command
    }

    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("node is installed");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let value = serde_json::from_str(&line)
                    .unwrap_or_else(|_| panic!("not from the driver: {line}"));
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let mut driver = Self {
            stdin: child.stdin.take().expect("piped"),
            child,
            answers,
            next_id: 1,
        };
        driver.run("return true");
        driver
    }

    /// Starts running the body of an async function with `browser`, `page` (the first page) and
    /// `state` (an object that persists); returns at once.
    #[track_caller]
    pub(crate) fn post(&mut self, code: &str) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        writeln!(self.stdin, "{}", json!({"id": id, "code": code})).expect("the driver reads");
        id
    }

    /// Waits for the outcome of what was started.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value, String> {
        let deadline = Instant::now() + PATIENTLY;
        loop {
            match self
                .answers
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(answer) if answer["id"] != id => {}
                Ok(answer) => {
                    return match answer["error"].as_str() {
                        Some(error) => Err(error.to_owned()),
                        None => Ok(answer["value"].clone()),
                    };
                }
                Err(RecvTimeoutError::Timeout) => panic!("no answer within {PATIENTLY:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the driver ended"),
            }
        }
    }

    /// Runs code that must succeed; returns its value.
    #[track_caller]
    pub(crate) fn run(&mut self, code: &str) -> Value {
        let id = self.post(code);
        self.answer(id)
            .unwrap_or_else(|error| panic!("{code}\n{error}"))
    }

    /// Runs code that must throw; returns the error.
    #[track_caller]
    pub(crate) fn throws(&mut self, code: &str) -> String {
        let id = self.post(code);
        self.answer(id).expect_err("it should have thrown")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Both fail for a process that has exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a script of `tests/node` to its end; returns its output, which must be JSON.
#[track_caller]
pub(crate) fn script(env: &TestEnv, name: &str, args: &[&str]) -> Value {
    let path = folder().join(name).display().to_string();
    let args = std::iter::once(path.as_str()).chain(args.iter().copied());
    let ended = env.program("node", args).limit(SCRIPT).ok();
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}

/// `tests/node`, with the packages in its lock file.
pub(crate) fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node");
    assert!(
        folder.join("node_modules/playwright-core").is_dir(),
        "the packages of npm are not installed: run `npm ci --prefix tests/node` (scripts/test does)"
    );
    folder
}
