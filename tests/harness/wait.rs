//! The only way for tests to wait for something without an event.

use std::thread;
use std::time::{Duration, Instant};

/// For things local to a process: answers, exits.
pub(crate) const SOON: Duration = Duration::from_secs(20);
/// For things that need a browser, or Node, on a machine that runs other tests: there the two programs of a run
/// of Playwright Test take half a minute to start when ten others want its two processors.
pub(crate) const PATIENTLY: Duration = Duration::from_secs(120);

/// How often to check a condition at first, and at least. In between it is an eighth of the time it has been: a look
/// may start a program, or read what there is of every process.
const LOOK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// Polls until `probe` finds something, and returns it; panics with `what` after `limit`.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, limit: Duration, probe: impl FnMut() -> Option<T>) -> T {
    match look_for(limit, probe) {
        Some(found) => found,
        None => panic!("not within {limit:?}: {what}"),
    }
}

/// Looks until `probe` finds something or `limit` is over; for what must not panic.
pub(crate) fn look_for<T>(limit: Duration, mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(found) = probe() {
            return Some(found);
        }
        let elapsed = began.elapsed();
        if elapsed >= limit {
            return None;
        }
        thread::sleep((elapsed / 8).clamp(LOOK.0, LOOK.1));
    }
}

/// Polls until `holds` is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    wait_for(what, limit, || holds().then_some(()));
}
