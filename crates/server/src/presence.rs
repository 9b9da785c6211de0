//! Which clients are there: those whose requests and streams go on, and for `[server] client_idle` after the
//! last of them. HTTP has no connection that would end with the client.
//!
//! [`Presence`] does no I/O; [`watch`] carries out what it decides.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use szk_client::Client;
use tokio::time::interval;

use crate::app::{App, Key, Who};

/// How often to look for clients whose time is over.
const LOOK: Duration = Duration::from_millis(500);

/// The clients that have done something lately. `C` is what makes their calls.
pub(crate) struct Presence<C = Client> {
    /// Zero: clients never leave.
    idle: Duration,
    /// A std mutex: nothing awaits under it.
    clients: Mutex<HashMap<Key, Seen<C>>>,
}

struct Seen<C> {
    client: Arc<C>,
    /// Requests and streams that go on.
    running: usize,
    /// When the last of them ended.
    last: Instant,
}

impl<C> Presence<C> {
    pub(crate) fn new(idle: Duration) -> Self {
        Self {
            idle,
            clients: Mutex::default(),
        }
    }

    /// A client is there until the guard is dropped, and for a while after.
    fn begin(self: &Arc<Self>, key: &Key, client: &Arc<C>) -> Here<C> {
        let mut clients = self.lock();
        let seen = clients.entry(key.clone()).or_insert_with(|| Seen {
            client: Arc::clone(client),
            running: 0,
            last: Instant::now(),
        });
        seen.client = Arc::clone(client);
        seen.running += 1;
        Here {
            presence: Arc::clone(self),
            key: key.clone(),
        }
    }

    /// Forgets those that have left, and passes them to `leave`. It must not wait: what one of them begins
    /// meanwhile begins after it.
    fn left(&self, now: Instant, mut leave: impl FnMut(Arc<C>)) {
        let over = |seen: &Seen<C>| {
            seen.running == 0 && now.saturating_duration_since(seen.last) >= self.idle
        };
        self.lock().retain(|_, seen| {
            let over = over(seen);
            if over {
                leave(Arc::clone(&seen.client));
            }
            !over
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Seen<C>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Presence {
    /// Somebody is there until the guard is dropped, and for a while after.
    pub(crate) fn of(self: &Arc<Self>, who: &Who) -> Here {
        self.begin(&who.key, &who.client)
    }
}

/// A client is there.
pub(crate) struct Here<C = Client> {
    presence: Arc<Presence<C>>,
    key: Key,
}

impl<C> Drop for Here<C> {
    fn drop(&mut self) {
        if let Some(seen) = self.presence.lock().get_mut(&self.key) {
            seen.running = seen.running.saturating_sub(1);
            seen.last = Instant::now();
        }
    }
}

/// An answer, as long as which a client is there: it may be a stream.
pub(crate) struct Answer {
    pub(crate) body: Body,
    pub(crate) _here: Here,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Takes clients that have left out of their sessions, until the server stops.
pub(crate) async fn watch(app: Arc<App>) {
    if app.presence.idle.is_zero() {
        return;
    }
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = app.stop.cancelled() => return,
        }
        app.presence.left(Instant::now(), |client| {
            tokio::spawn(client.away());
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_there_as_long_as_it_does_something_and_for_a_while() {
        let idle = Duration::from_secs(100);
        let presence: Arc<Presence<&str>> = Arc::new(Presence::new(idle));
        let key = |name: &str| (name.to_owned(), None, Vec::new());
        let left = |after: u64| {
            let mut left = Vec::new();
            let now = Instant::now() + Duration::from_secs(after);
            presence.left(now, |client| left.push(*client));
            left
        };
        let stream = presence.begin(&key("a"), &Arc::new("a"));
        drop(presence.begin(&key("a"), &Arc::new("a")));
        drop(presence.begin(&key("b"), &Arc::new("b")));
        assert_eq!(left(90), [""; 0]);
        assert_eq!(left(101), ["b"]);
        assert_eq!(
            left(10_000),
            [""; 0],
            "it left already, or follows something"
        );
        drop(stream);
        assert_eq!(left(90), [""; 0]);
        assert_eq!(left(101), ["a"]);
    }
}
