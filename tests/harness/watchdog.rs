//! Ends the processes of a test that takes far too long, so that it fails and the others still run.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::process;

/// Several times what the longest test takes beside a busy machine. A script that makes a test do more sets
/// `SZK_TEST_SECONDS`.
const LIMIT: Duration = Duration::from_secs(600);
/// How often it looks again: a test may be starting something.
const AGAIN: Duration = Duration::from_secs(1);

/// Watches one environment until it is dropped.
pub(crate) struct Watchdog {
    /// Never sent on: its end is the news.
    _alive: Sender<()>,
}

impl Watchdog {
    pub(crate) fn watch(environment: &Path) -> Self {
        let (alive, ended) = mpsc::channel::<()>();
        let environment = environment.to_owned();
        let limit = limit();
        let test = thread::current().name().unwrap_or("a test").to_owned();
        thread::spawn(move || {
            if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("{test} has run for {limit:?}: its processes are killed");
                kill_until(&ended, environment);
            }
        });
        Self { _alive: alive }
    }
}

fn limit() -> Duration {
    let set = std::env::var("SZK_TEST_SECONDS").ok();
    set.map_or(LIMIT, |text| {
        Duration::from_secs(text.parse().expect("SZK_TEST_SECONDS is a number"))
    })
}

fn kill_until(ended: &mpsc::Receiver<()>, environment: PathBuf) {
    loop {
        for process in process::belonging_to(&environment) {
            process.signal(Signal::KILL);
        }
        if ended.recv_timeout(AGAIN) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
