//! One run of `szk`: arguments in, exit code and text out.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::running::Running;
use super::wait::{PATIENTLY, SOON, wait_for};

/// A run that has not started.
pub(crate) struct Szk {
    command: Command,
    input: Vec<u8>,
    limit: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code, or `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Szk {
    pub(crate) fn new(command: Command) -> Self {
        Self {
            command,
            input: Vec::new(),
            limit: PATIENTLY,
        }
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Adds an argument that need not be Unicode.
    pub(crate) fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// What it reads from stdin; nothing by default.
    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// Sets its time limit.
    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Starts it and returns with its stdin and stdout open.
    #[track_caller]
    pub(crate) fn start(mut self) -> Running {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Running::new(self.command.spawn().expect("szk can be started"))
    }

    /// Starts it and passes its stderr on to whoever watches the tests.
    pub(super) fn spawn_quiet(mut self) -> Child {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        self.command.spawn().expect("szk can be started")
    }

    /// Runs it to its end.
    #[track_caller]
    pub(crate) fn run(mut self) -> Ended {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("szk can be started");
        let mut stdin = child.stdin.take().expect("piped");
        // A program that does not read it may close the pipe.
        let _ = stdin.write_all(&self.input);
        drop(stdin);
        let stdout = follow(child.stdout.take().expect("piped"));
        let stderr = follow(child.stderr.take().expect("piped"));
        let status = ended_within(&mut child, self.limit, &self.command);
        // No child may hold on to its streams, or whoever reads them would wait forever.
        let text = |stream: Receiver<Vec<u8>>| {
            let bytes = stream
                .recv_timeout(SOON)
                .expect("stdout and stderr end with the process");
            String::from_utf8(bytes).expect("output is UTF-8")
        };
        Ended::new(status, text(stdout), text(stderr))
    }

    /// Runs it; it must succeed.
    #[track_caller]
    pub(crate) fn ok(self) -> Ended {
        let ended = self.run();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        ended
    }

    /// Runs it; it must succeed and write one line of JSON.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let ended = self.ok();
        assert_eq!(ended.stdout.lines().count(), 1, "{ended:#?}");
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
    }

    /// Runs it with `--json`; it must fail with this code. Returns the failure.
    #[track_caller]
    pub(crate) fn fails(mut self, code: &str) -> Value {
        self.command.arg("--json");
        let ended = self.run();
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        let failure = ended.failure();
        assert_eq!(failure["code"], code, "{ended:#?}");
        failure
    }
}

impl Ended {
    pub(crate) fn new(status: ExitStatus, stdout: String, stderr: String) -> Self {
        Self {
            code: status.code(),
            signal: status.signal(),
            stdout,
            stderr,
        }
    }

    /// The failure that it wrote as JSON.
    #[track_caller]
    pub(crate) fn failure(&self) -> Value {
        let last = self.stderr.lines().last().unwrap_or_default();
        let value: Value =
            serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {self:#?}"));
        let failure = value["error"].clone();
        assert!(
            failure["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{self:#?}"
        );
        failure
    }
}

/// Reads a stream to its end in the background.
pub(super) fn follow(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error still counts.
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Waits for a child; one that does not exit in time fails the test, and is killed with its `TestEnv`.
#[track_caller]
pub(super) fn ended_within(
    child: &mut Child,
    limit: Duration,
    what: &dyn std::fmt::Debug,
) -> ExitStatus {
    let description = format!("{what:?} ends");
    wait_for(&description, limit, || {
        child.try_wait().expect("a child can be waited for")
    })
}
