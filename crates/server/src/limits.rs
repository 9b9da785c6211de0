//! What `[server]` limits: how many sessions may be open, how much memory must stay free, and how often a
//! token may ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use szk_client::{Client, ServerSettings};
use szk_tools::{Call, Code, Done, Failure};

use crate::queue::{Queue, Ticket};
use crate::rate::Rate;

/// How often the request whose turn it is looks for room.
const LOOK: Duration = Duration::from_millis(200);

/// How long a call that was admitted counts beside the open sessions. After it, its session is open or will
/// not be; the call itself may go on for much longer.
const STARTING: Duration = Duration::from_secs(60);

/// The limits of one server, and what counts towards them.
pub(crate) struct Limits {
    settings: ServerSettings,
    /// Sees all sessions, whatever a token may see.
    all: Client,
    /// A std mutex: nothing awaits under it.
    opening: Mutex<Opening>,
    /// A std mutex: nothing awaits under it.
    rate: Mutex<Rate>,
}

/// Requests that open sessions.
struct Opening {
    queue: Queue,
    /// When each of those that have not ended was admitted.
    starting: HashMap<u64, Instant>,
    /// How many were admitted so far.
    admitted: u64,
    /// How many have ended: tells whether a count of open sessions is out of date.
    ended: u64,
}

impl Limits {
    pub(crate) fn new(all: Client) -> Result<Self, Failure> {
        let settings = all.server_settings()?;
        let most = usize::try_from(settings.max_queue).unwrap_or(usize::MAX);
        Ok(Self {
            settings,
            all,
            opening: Mutex::new(Opening {
                queue: Queue::new(most),
                starting: HashMap::new(),
                admitted: 0,
                ended: 0,
            }),
            rate: Mutex::default(),
        })
    }

    /// A client for which all sessions exist, whatever a token may see.
    pub(crate) fn whole(&self) -> &Client {
        &self.all
    }

    /// How long a call may take with its wait.
    pub(crate) fn request_timeout(&self) -> Duration {
        Duration::from_secs(self.settings.request_timeout)
    }

    /// Bytes of files that a request may bring.
    pub(crate) fn upload(&self) -> u64 {
        self.settings.max_upload.saturating_mul(1 << 20)
    }

    /// How long an unused session stays open; zero: for ever.
    pub(crate) fn idle(&self) -> Duration {
        Duration::from_secs(self.settings.idle)
    }

    /// How long a client that does nothing is there; zero: for ever.
    pub(crate) fn client_idle(&self) -> Duration {
        Duration::from_secs(self.settings.client_idle)
    }

    /// How many requests wait for a session.
    pub(crate) fn waiting(&self) -> usize {
        self.opening().queue.len()
    }

    /// Counts a request of this token; if it is one too many, says after how long there is room again.
    pub(crate) fn count(&self, token: &str, now: Instant) -> Result<(), (Duration, Failure)> {
        let limit @ 1.. = self.settings.requests_per_minute else {
            return Ok(());
        };
        let mut rate = self.rate.lock().unwrap_or_else(PoisonError::into_inner);
        let Err(left) = rate.count(token, limit, now) else {
            return Ok(());
        };
        let failure = Failure::new(
            Code::LimitReached,
            format!(
                "the token `{token}` made {limit} requests in this minute, which is what `[server] requests_per_minute` allows"
            ),
        )
        .hint("wait for as long as `Retry-After` says")
        .retryable();
        Err((left, failure))
    }

    /// Waits until the call may start its session, if it starts one. What it returns is held until the call
    /// has ended.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        token: &str,
        client: &Client,
        call: &Call,
    ) -> Result<Option<Starting>, Failure> {
        let settings = &self.settings;
        if settings.max_sessions == 0 && settings.memory_floor == 0 {
            return Ok(None);
        }
        if !client.would_start(call).await? {
            return Ok(None);
        }
        if let Some(starting) = self.enter(None).await? {
            return Ok(Some(starting));
        }
        let joined = self.opening().queue.join(token);
        let ticket = joined.map_err(|full| self.full(full.place))?;
        let _leave = Leave(self, ticket);
        let mut look = tokio::time::interval(LOOK);
        loop {
            look.tick().await;
            // Somebody else may have opened the session meanwhile.
            if !client.would_start(call).await? {
                return Ok(None);
            }
            if let Some(starting) = self.enter(Some(ticket)).await? {
                return Ok(Some(starting));
            }
        }
    }

    /// Starts if there is room and it is the turn of this ticket, or nobody waits.
    async fn enter(self: &Arc<Self>, ticket: Option<Ticket>) -> Result<Option<Starting>, Failure> {
        loop {
            let ended = {
                let opening = self.opening();
                if opening.queue.turn() != ticket {
                    return Ok(None);
                }
                opening.ended
            };
            let (open, free) = self.measure().await?;
            let mut opening = self.opening();
            if opening.queue.turn() != ticket {
                return Ok(None);
            }
            // A start that ended meanwhile may be in neither number.
            if opening.ended != ended {
                continue;
            }
            let recent = |since: &&Instant| since.elapsed() < STARTING;
            let starting = opening.starting.values().filter(recent).count() as u64;
            if !has_room(&self.settings, open, starting, free) {
                return Ok(None);
            }
            if ticket.is_some() {
                opening.queue.admit();
            }
            opening.admitted += 1;
            let number = opening.admitted;
            opening.starting.insert(number, Instant::now());
            return Ok(Some(Starting(Arc::clone(self), number)));
        }
    }

    /// How many sessions are open, and how many MB of memory are free, as far as the system tells.
    async fn measure(self: &Arc<Self>) -> Result<(u64, Option<u64>), Failure> {
        let limits = Arc::clone(self);
        let measured = tokio::task::spawn_blocking(move || {
            let open = limits.all.count().1;
            let memory = std::fs::read_to_string("/proc/meminfo").ok();
            (open as u64, memory.as_deref().and_then(available))
        });
        measured
            .await
            .map_err(|error| Failure::internal(format!("cannot count the sessions: {error}")))
    }

    fn full(&self, place: usize) -> Failure {
        let settings = &self.settings;
        Failure::new(
            Code::LimitReached,
            format!(
                "no session can be opened now, and the queue is full: this request would be number {place}, and `[server] max_queue` is {}",
                settings.max_queue
            ),
        )
        .hint("close a session, or try again after as long as `Retry-After` says")
        .retryable()
    }

    fn opening(&self) -> MutexGuard<'_, Opening> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The failure of a call that ran out of `request_timeout`.
    pub(crate) fn timed_out(&self, effect: Done) -> Failure {
        let seconds = self.settings.request_timeout;
        Failure::new(
            Code::Timeout,
            format!("not finished within {seconds} s, which is `[server] request_timeout`"),
        )
        .hint("try again later, or raise `request_timeout` in the configuration and restart the server")
        .effect(effect)
        .retryable()
    }
}

/// A call that was admitted and has not ended: its session may not be open yet.
pub(crate) struct Starting(Arc<Limits>, u64);

impl Drop for Starting {
    fn drop(&mut self) {
        let mut opening = self.0.opening();
        opening.starting.remove(&self.1);
        opening.ended += 1;
    }
}

/// Takes a request out of the queue, however its wait ends.
struct Leave<'a>(&'a Limits, Ticket);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.opening().queue.leave(self.1);
    }
}

/// Whether one more session may be opened. With a `memory_floor` they start one by one, because those that
/// are starting have not yet taken their memory.
fn has_room(settings: &ServerSettings, open: u64, starting: u64, free: Option<u64>) -> bool {
    let memory = match free {
        Some(free) if settings.memory_floor > 0 => starting == 0 && free >= settings.memory_floor,
        _ => true,
    };
    memory && (settings.max_sessions == 0 || open + starting < settings.max_sessions)
}

/// `MemAvailable` of `/proc/meminfo`, in MB.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_depends_on_sessions_and_memory() {
        let room = |max_sessions, memory_floor, open, starting, free| {
            let settings = ServerSettings {
                max_sessions,
                memory_floor,
                ..ServerSettings::default()
            };
            has_room(&settings, open, starting, free)
        };
        assert!(room(0, 0, 1000, 10, Some(0)));
        assert!(room(2, 0, 1, 0, None) && !room(2, 0, 1, 1, None) && !room(2, 0, 2, 0, None));
        assert!(room(0, 100, 9, 0, Some(100)) && !room(0, 100, 9, 0, Some(99)));
        assert!(!room(0, 100, 9, 1, Some(1000)));
        // A system that does not tell limits nothing.
        assert!(room(0, 100, 9, 1, None));
    }

    #[test]
    fn available_memory_is_read_in_megabytes() {
        let text = "MemTotal:       16384000 kB\nMemFree:  1024 kB\nMemAvailable:    2097152 kB\n";
        assert_eq!(available(text), Some(2048));
        assert_eq!(available("MemFree: 1024 kB\n"), None);
        assert_eq!(available("MemAvailable: much kB\n"), None);
    }
}
