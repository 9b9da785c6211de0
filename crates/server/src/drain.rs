//! Draining: the server opens no more sessions, lets those who work finish, and ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_tools::{Code, Failure};
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

/// How long nothing must have gone on: a client that makes one call after the other is at work between
/// them, too.
const QUIET: Duration = Duration::from_secs(5);

/// How often to look whether nothing goes on.
const LOOK: Duration = Duration::from_millis(200);

/// Whether the server drains, and what still goes on.
pub(crate) struct Drain {
    asked: CancellationToken,
    /// A std mutex: nothing awaits under it.
    work: Mutex<Going>,
}

struct Going {
    /// Requests, calls and connected programs.
    count: usize,
    /// When the last of them ended.
    last: Instant,
}

impl Drain {
    pub(crate) fn new() -> Arc<Self> {
        let going = Going {
            count: 0,
            last: Instant::now(),
        };
        Arc::new(Self {
            asked: CancellationToken::new(),
            work: Mutex::new(going),
        })
    }

    pub(crate) fn begin(&self) {
        tracing::info!("draining: no more sessions are opened");
        self.work().last = Instant::now();
        self.asked.cancel();
    }

    pub(crate) fn is_on(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Completes once the server drains.
    pub(crate) async fn asked(&self) {
        self.asked.cancelled().await;
    }

    /// Something goes on until the guard is dropped.
    pub(crate) fn work_on(self: &Arc<Self>) -> Working {
        self.work().count += 1;
        Working(Arc::clone(self))
    }

    /// Completes once the server drains and nothing goes on any more.
    pub(crate) async fn done(&self) {
        self.asked().await;
        let mut look = interval(LOOK);
        loop {
            look.tick().await;
            if self.is_quiet(Instant::now()) {
                return;
            }
        }
    }

    fn is_quiet(&self, now: Instant) -> bool {
        let work = self.work();
        work.count == 0 && now.saturating_duration_since(work.last) >= QUIET
    }

    fn work(&self) -> MutexGuard<'_, Going> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Drain::work_on`].
pub(crate) struct Working(Arc<Drain>);

impl Drop for Working {
    fn drop(&mut self) {
        let mut work = self.0.work();
        work.count = work.count.saturating_sub(1);
        work.last = Instant::now();
    }
}

/// Why no session is opened any more.
pub(crate) fn refusal() -> Failure {
    Failure::new(
        Code::Draining,
        "the server is draining: it opens no more sessions",
    )
    .hint("try another server, or this one after as long as `Retry-After` says")
    .retryable()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_over_when_nothing_has_gone_on_for_a_while() {
        let drain = Drain::new();
        let after = |seconds: u64| drain.is_quiet(Instant::now() + Duration::from_secs(seconds));
        let (call, program) = (drain.work_on(), drain.work_on());
        drop(call);
        assert!(!after(100));
        drop(program);
        assert!(!after(4) && after(6));
    }
}
