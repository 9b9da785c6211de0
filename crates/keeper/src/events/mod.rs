//! The session's event stream: what happens, numbered and kept in a bounded ring.
//!
//! [`Feed::tell`] never waits. Readers pull at their own pace; one that falls behind the ring is told how
//! much it has missed. [`sources`] watches the browser and the profile; clients, hand-offs and handlers
//! tell the feed themselves.

mod serve;
mod sources;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use szk_runtime::session::Session;
use szk_store::EventNumbers;
use szk_wire::events::{Event, EventLine, Happening, KEPT};
use tokio::sync::watch;

pub(crate) use serve::events;
pub(crate) use sources::keep;

/// Most events that a reader gets at once.
const AT_ONCE: usize = 100;

/// The events of a session; cheap to clone.
#[derive(Clone)]
pub(crate) struct Feed {
    // A std mutex: nothing awaits under it.
    ring: Arc<Mutex<Ring>>,
    /// Number of the last event.
    last: watch::Sender<u64>,
}

#[derive(Default)]
struct Ring {
    events: VecDeque<Event>,
    last: u64,
    /// The number of the last event of earlier sessions.
    before: u64,
    /// Since this number none was left out: what a reader of an earlier session has missed is known.
    gapless_since: u64,
    /// Where the number of the last event is kept for the next session.
    kept: Arc<AtomicU64>,
    /// Whether `Closing` was told; it is told once.
    closing: bool,
}

/// A reader's place in the feed.
pub(crate) struct Reader {
    feed: Feed,
    /// Number of the last event it has.
    has: u64,
    last: watch::Receiver<u64>,
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            ring: Arc::default(),
            last: watch::Sender::new(0),
        }
    }
}

impl Feed {
    /// Goes on from the numbers of earlier sessions. Nothing has been told yet.
    pub(crate) fn go_on(&self, session: &Session) {
        let (numbers, kept) = session.event_numbers();
        self.after(numbers, kept);
    }

    fn after(&self, numbers: EventNumbers, kept: Arc<AtomicU64>) {
        let mut ring = self.lock();
        (ring.last, ring.before) = (numbers.last, numbers.last);
        ring.gapless_since = numbers.gapless_since;
        ring.kept = kept;
        drop(ring);
        self.last.send_replace(numbers.last);
    }

    /// Adds an event.
    pub(crate) fn tell(&self, what: Happening) {
        let mut ring = self.lock();
        if matches!(what, Happening::Closing { .. }) && std::mem::replace(&mut ring.closing, true) {
            return;
        }
        ring.last += 1;
        let seq = ring.last;
        ring.kept.store(seq, Ordering::Relaxed);
        let at = Timestamp::now();
        ring.events.push_back(Event { seq, at, what });
        if ring.events.len() > KEPT {
            ring.events.pop_front();
        }
        drop(ring);
        self.last.send_replace(seq);
    }

    /// A reader of what comes after the event with this number; without one, of what comes from now on. 0 is
    /// before the first of this session.
    pub(crate) fn reader(&self, after: Option<u64>) -> Reader {
        let ring = self.lock();
        let has = match after {
            Some(0) => ring.before,
            Some(after) => after,
            None => ring.last,
        };
        drop(ring);
        Reader {
            feed: self.clone(),
            has,
            last: self.last.subscribe(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    /// The next events; waits for at least one.
    pub(crate) async fn next(&mut self) -> Vec<EventLine> {
        loop {
            self.last.borrow_and_update();
            let told = self.ready();
            if !told.is_empty() {
                return told;
            }
            if self.last.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// The next events that are there already.
    pub(crate) fn ready(&mut self) -> Vec<EventLine> {
        let ring = self.feed.lock();
        let first = ring.events.front().map_or(ring.last + 1, |event| event.seq);
        let mut told = Vec::new();
        if self.has > ring.last || self.has < ring.gapless_since {
            // How many came after that event is unknown.
            told.push(EventLine::Missed(0));
            self.has = first - 1;
        } else if self.has + 1 < first {
            told.push(EventLine::Missed(first - 1 - self.has));
            self.has = first - 1;
        }
        let from = usize::try_from(self.has + 1 - first).unwrap_or(usize::MAX);
        let next = ring.events.iter().skip(from).take(AT_ONCE);
        told.extend(next.cloned().map(EventLine::Event));
        if let Some(EventLine::Event(event)) = told.last() {
            self.has = event.seq;
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(number: u64) -> Happening {
        Happening::TabClosed {
            tab: format!("t{number}"),
        }
    }

    fn numbers(told: &[EventLine]) -> Vec<i64> {
        let number = |told: &EventLine| match told {
            EventLine::Event(event) => i64::try_from(event.seq).unwrap(),
            EventLine::Missed(missed) => -i64::try_from(*missed).unwrap(),
        };
        told.iter().map(number).collect()
    }

    fn numbers_of(reader: &mut Reader) -> Vec<i64> {
        numbers(&reader.ready())
    }

    #[test]
    fn a_reader_goes_on_where_it_was() {
        let feed = Feed::default();
        feed.tell(closed(1));
        let mut fresh = feed.reader(None);
        assert!(fresh.ready().is_empty());
        feed.tell(closed(2));
        feed.tell(closed(3));
        assert_eq!(numbers(&fresh.ready()), [2, 3]);
        assert!(fresh.ready().is_empty());
        assert_eq!(numbers(&feed.reader(Some(1)).ready()), [2, 3]);
        assert_eq!(numbers(&feed.reader(Some(0)).ready()), [1, 2, 3]);
    }

    #[test]
    fn a_slow_reader_is_told_what_it_missed_and_memory_is_bounded() {
        let feed = Feed::default();
        let mut slow = feed.reader(None);
        for number in 0..KEPT as u64 + 5 {
            feed.tell(closed(number));
        }
        let told = numbers(&slow.ready());
        assert_eq!((told[0], told[1], told.len()), (-5, 6, AT_ONCE + 1));
        assert_eq!(numbers(&slow.ready())[0], 6 + AT_ONCE as i64);
        assert_eq!(feed.lock().events.len(), KEPT);
    }

    #[test]
    fn the_number_of_another_keeper_starts_over() {
        let feed = Feed::default();
        feed.tell(closed(1));
        let mut back = feed.reader(Some(70));
        assert_eq!(numbers(&back.ready()), [0, 1]);
        assert!(back.ready().is_empty());
    }

    #[test]
    fn numbers_go_on_after_those_of_earlier_sessions() {
        let kept = Arc::new(AtomicU64::new(26));
        let feed = Feed::default();
        let numbers = EventNumbers {
            last: 26,
            ..EventNumbers::default()
        };
        feed.after(numbers, Arc::clone(&kept));
        let mut fresh = feed.reader(None);
        let mut back = feed.reader(Some(26));
        feed.tell(closed(1));
        feed.tell(closed(2));
        assert_eq!(kept.load(Ordering::Relaxed), 28);
        assert_eq!(numbers_of(&mut fresh), [27, 28]);
        assert_eq!(numbers_of(&mut back), [27, 28]);
        assert_eq!(numbers_of(&mut feed.reader(Some(0))), [27, 28]);
        assert_eq!(numbers_of(&mut feed.reader(Some(8))), [-18, 27, 28]);
        assert_eq!(numbers_of(&mut feed.reader(Some(40))), [0, 27, 28]);
        // After a killed keeper, how many is unknown.
        let feed = Feed::default();
        feed.after(numbers.reserved().begun(), kept);
        feed.tell(closed(1));
        assert_eq!(numbers_of(&mut feed.reader(Some(26)))[0], 0);
    }

    #[test]
    fn closing_is_told_once_by_whoever_knows_most() {
        let feed = Feed::default();
        let client = Some("a".to_owned());
        feed.tell(Happening::Closing { client });
        feed.tell(Happening::Closing { client: None });
        assert_eq!(numbers(&feed.reader(Some(0)).ready()), [1]);
    }

    #[tokio::test]
    async fn next_waits_for_an_event() {
        let feed = Feed::default();
        let mut reader = feed.reader(None);
        let waits = tokio::spawn(async move { reader.next().await });
        tokio::task::yield_now().await;
        feed.tell(closed(1));
        assert_eq!(numbers(&waits.await.unwrap()), [1]);
    }
}
