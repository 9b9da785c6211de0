//! A `szk` that runs while the test does something else.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use super::program::{Ended, ended_within, follow};
use super::wait::{PATIENTLY, SOON};

/// A running program; killed on drop.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stdout: String,
    stderr: Receiver<Vec<u8>>,
}

impl Running {
    pub(super) fn new(mut child: Child) -> Self {
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = follow(child.stderr.take().expect("piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stdout: String::new(),
            stderr,
        }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Reads stdout up to the line that `wanted` accepts, and returns all lines so far.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> &str {
        let deadline = Instant::now() + PATIENTLY;
        loop {
            match self
                .lines
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    self.stdout.push_str(&line);
                    self.stdout.push('\n');
                    if wanted(&line) {
                        return &self.stdout;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("no {what} within {PATIENTLY:?}: {}", self.stdout)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let stderr = self.stderr.recv_timeout(SOON).unwrap_or_default();
                    panic!(
                        "stdout ended before {what}: {}\n{}",
                        self.stdout,
                        String::from_utf8_lossy(&stderr)
                    );
                }
            }
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("it still runs");
    }

    /// Waits for it to exit.
    #[track_caller]
    pub(crate) fn end(mut self) -> Ended {
        self.stdin = None;
        let status = ended_within(&mut self.child, PATIENTLY, &"the program");
        while let Ok(line) = self.lines.recv_timeout(SOON) {
            self.stdout.push_str(&line);
            self.stdout.push('\n');
        }
        let stderr = self
            .stderr
            .recv_timeout(SOON)
            .expect("stderr ends with the process");
        Ended::new(
            status,
            std::mem::take(&mut self.stdout),
            String::from_utf8_lossy(&stderr).into_owned(),
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail for a process that has exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
