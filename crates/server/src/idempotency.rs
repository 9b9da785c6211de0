//! `Idempotency-Key`: a request that is repeated with the same key gets the first one's answer.
//!
//! A key is remembered while its request runs, and for [`KEPT`] after it has ended. Its answer is dropped
//! earlier if the answers of a token become too many bytes; a repetition then learns that, but does not run.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use serde::Serialize;
use szk_tools::{Code, Done, Failure, Response};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::Key;
use crate::error::ErrorReply;

/// The header.
pub(crate) const HEADER: &str = "idempotency-key";

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(600);
/// How many keys of a token are remembered once their requests have ended; the oldest goes first.
const MOST: usize = 10_000;
/// How many requests of a token may run.
const MOST_RUNNING: usize = 1000;
/// Bytes of the answers of a token, about; the oldest goes first, the last one stays.
const MOST_BYTES: usize = 64 << 20;
/// Longest key, in bytes.
const LONGEST_KEY: usize = 255;

/// SHA-256 of what a request asks for: it may be long, and hold passwords.
pub(crate) type Digest = [u8; 32];

type Outcome = Result<Response, Failure>;

/// Absent while the request runs.
type Slot = Option<Arc<Outcome>>;

/// The users of a token, and their keys.
type At = (Key, String);

/// Answers by token, client and key.
#[derive(Default)]
pub(crate) struct Answered {
    /// By the name of the token. A std mutex: nothing awaits under it.
    kept: Mutex<HashMap<String, OfToken>>,
}

/// A token has bounds of its own, so that no other one's requests are forgotten for it.
#[derive(Default)]
struct OfToken {
    by_key: HashMap<At, Entry>,
    /// Those that have ended, oldest first.
    ended: VecDeque<(Instant, At)>,
    /// How many of the first of them have lost their answers.
    dropped: usize,
    /// Of the answers that are kept.
    bytes: usize,
    running: usize,
}

struct Entry {
    request: Digest,
    state: State,
}

enum State {
    Running(watch::Receiver<Slot>),
    /// With its size in bytes.
    Ended(Arc<Outcome>, usize),
    /// Its answer is no longer there; what it did.
    Dropped(Done),
}

/// Whose turn it is to carry out a request.
pub(crate) enum Turn {
    /// Of whoever has the ticket.
    First(Ticket, Waiting),
    /// Somebody else has done it or is at it.
    Repeated(Waiting),
}

/// Waits for the outcome of a request.
#[derive(Debug)]
pub(crate) struct Waiting(watch::Receiver<Slot>);

impl Waiting {
    pub(crate) async fn outcome(mut self) -> Outcome {
        match self.0.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(outcome)) => Outcome::clone(outcome),
            // The ticket says how it ended before it goes.
            _ => Err(broken()),
        }
    }
}

/// The duty to carry out a request, and to say how it ended.
pub(crate) struct Ticket {
    answered: Arc<Answered>,
    at: At,
    outcome: watch::Sender<Slot>,
}

impl Ticket {
    /// Keeps the outcome, unless it is a failure that did nothing: its repetition can succeed.
    pub(crate) fn end(self, outcome: Outcome) {
        self.settle(outcome);
    }

    fn settle(&self, outcome: Outcome) {
        let outcome = Arc::new(outcome);
        self.answered.ended(&self.at, &outcome);
        self.outcome.send_replace(Some(outcome));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.outcome.borrow().is_none() {
            self.settle(Err(broken()));
        }
    }
}

impl Answered {
    /// Whose turn it is to carry out the request that somebody made with this key.
    pub(crate) fn turn(
        self: &Arc<Self>,
        who: &Key,
        key: &str,
        request: Digest,
    ) -> Result<Turn, ErrorReply> {
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Err(Failure::invalid("`Idempotency-Key` must have 1 to 255 characters").into());
        }
        let mut kept = self.lock();
        let now = Instant::now();
        kept.values_mut().for_each(|token| token.forget_old(now));
        kept.retain(|_, token| !token.by_key.is_empty());
        let token = kept.entry(who.0.clone()).or_default();
        let at = (who.clone(), key.to_owned());
        if let Some(entry) = token.by_key.get(&at) {
            return entry.again(&request).map(Turn::Repeated);
        }
        if token.running >= MOST_RUNNING {
            return Err(too_many(&who.0).into());
        }
        let (outcome, waiting) = watch::channel(None);
        let state = State::Running(waiting.clone());
        token.by_key.insert(at.clone(), Entry { request, state });
        token.running += 1;
        let ticket = Ticket {
            answered: Arc::clone(self),
            at,
            outcome,
        };
        Ok(Turn::First(ticket, Waiting(waiting)))
    }

    fn ended(&self, at: &At, outcome: &Arc<Outcome>) {
        let nothing = |failure: &Failure| failure.effect == Done::None;
        let mut kept = self.lock();
        let Some(token) = kept.get_mut(&at.0.0) else {
            return;
        };
        token.running = token.running.saturating_sub(1);
        if outcome.as_ref().as_ref().is_err_and(nothing) {
            token.by_key.remove(at);
            return;
        }
        let bytes = size(outcome);
        if let Some(entry) = token.by_key.get_mut(at) {
            entry.state = State::Ended(Arc::clone(outcome), bytes);
            token.bytes += bytes;
            token.ended.push_back((Instant::now(), at.clone()));
        }
        token.drop_answers();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OfToken>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// What a repetition of the request waits for.
    fn again(&self, request: &Digest) -> Result<Waiting, ErrorReply> {
        if self.request != *request {
            let failure = Failure::invalid("this `Idempotency-Key` was used for another request")
                .hint("use a new key for each request");
            return Err(ErrorReply::with_status(
                failure,
                StatusCode::UNPROCESSABLE_ENTITY,
            ));
        }
        match &self.state {
            State::Running(waiting) => Ok(Waiting(waiting.clone())),
            State::Ended(outcome, _) => Ok(Waiting(watch::channel(Some(Arc::clone(outcome))).1)),
            State::Dropped(effect) => Err(gone(*effect).into()),
        }
    }
}

impl OfToken {
    fn forget_old(&mut self, now: Instant) {
        while let Some((since, at)) = self.ended.front() {
            if now.duration_since(*since) < KEPT && self.ended.len() <= MOST {
                return;
            }
            if let Some(Entry {
                state: State::Ended(_, bytes),
                ..
            }) = self.by_key.remove(at)
            {
                self.bytes = self.bytes.saturating_sub(bytes);
            }
            self.ended.pop_front();
            self.dropped = self.dropped.saturating_sub(1);
        }
    }

    /// Drops the oldest answers as long as they are too long together.
    fn drop_answers(&mut self) {
        while self.bytes > MOST_BYTES && self.dropped + 1 < self.ended.len() {
            let entry = self.by_key.get_mut(&self.ended[self.dropped].1);
            if let Some(Entry { state, .. }) = entry
                && let State::Ended(outcome, bytes) = state
            {
                self.bytes = self.bytes.saturating_sub(*bytes);
                let effect = outcome.as_ref().as_ref().err();
                *state = State::Dropped(effect.map_or(Done::Done, |failure| failure.effect));
            }
            self.dropped += 1;
        }
    }
}

/// How many bytes an outcome has, about.
fn size(outcome: &Outcome) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    fn of(value: &impl Serialize) -> usize {
        let mut count = Count(0);
        // What cannot be written is no answer, either.
        let _ = serde_json::to_writer(&mut count, value);
        count.0
    }
    match outcome {
        Ok(response) => of(response),
        Err(failure) => of(failure),
    }
}

fn broken() -> Failure {
    Failure::internal("the call broke off").effect(Done::Unknown)
}

fn too_many(token: &str) -> Failure {
    let why = format!(
        "{MOST_RUNNING} requests of the token `{token}` that have an `Idempotency-Key` are still running"
    );
    Failure::new(Code::LimitReached, why)
        .hint("wait until some of them have ended, or leave out the key")
        .retryable()
}

/// Why a repetition gets no answer, and does not run, either.
fn gone(effect: Done) -> Failure {
    let why = "the request with this `Idempotency-Key` has run, and its answer is no longer kept";
    Failure::new(Code::LimitReached, why)
        .hint(format!(
            "look at what it did; the answers of a token are kept up to {} MiB",
            MOST_BYTES >> 20
        ))
        .effect(effect)
}

#[cfg(test)]
mod tests;
