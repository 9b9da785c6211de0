//! The only way for tests to wait for something without an event.

use std::thread;
use std::time::{Duration, Instant};

/// For things local to a process: answers, exits.
pub(crate) const SOON: Duration = Duration::from_secs(20);
/// For things that need a browser on a machine that runs other tests.
pub(crate) const PATIENTLY: Duration = Duration::from_secs(60);

/// How often to check a condition.
const LOOK: Duration = Duration::from_millis(10);

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
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = probe() {
            return Some(found);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(LOOK);
    }
}

/// Polls until `holds` is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    wait_for(what, limit, || holds().then_some(()));
}
