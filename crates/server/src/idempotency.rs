//! `Idempotency-Key`: a request that is repeated with the same key gets the first one's answer.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use szk_tools::{Failure, Response};
use tokio::sync::OnceCell;

use crate::error::ErrorReply;

/// The header.
pub(crate) const HEADER: &str = "idempotency-key";

/// How long an answer is kept.
const KEPT: Duration = Duration::from_secs(600);
/// How many are kept; the oldest goes first.
const MOST: usize = 1000;
/// Longest key, in bytes.
const LONGEST_KEY: usize = 255;

/// The outcome of the first request with a key.
pub(crate) type Outcome = Arc<OnceCell<Result<Response, Failure>>>;

/// Answers by token and key.
#[derive(Default)]
pub(crate) struct Answered {
    /// A std mutex: nothing awaits under it.
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_key: HashMap<(String, String), (String, Outcome)>,
    /// Oldest first.
    order: VecDeque<(Instant, (String, String))>,
}

impl Answered {
    /// The place for the outcome of a request: a new one, or that of the first request with this key.
    /// `request` is what the call asks for, so that a key is not taken for two different things.
    pub(crate) fn place(
        &self,
        token: &str,
        key: &str,
        request: String,
    ) -> Result<Outcome, ErrorReply> {
        if key.is_empty() || key.len() > LONGEST_KEY {
            return Err(Failure::invalid("`Idempotency-Key` must have 1 to 255 characters").into());
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.forget_old();
        let at = (token.to_owned(), key.to_owned());
        if let Some((first, outcome)) = kept.by_key.get(&at) {
            if *first != request {
                let failure =
                    Failure::invalid("this `Idempotency-Key` was used for another request")
                        .hint("use a new key for each request");
                return Err(ErrorReply::with_status(
                    failure,
                    StatusCode::UNPROCESSABLE_ENTITY,
                ));
            }
            return Ok(Arc::clone(outcome));
        }
        let outcome = Outcome::default();
        kept.order.push_back((Instant::now(), at.clone()));
        kept.by_key.insert(at, (request, Arc::clone(&outcome)));
        Ok(outcome)
    }
}

impl Answered {
    /// Forgets an outcome, unless another one has taken its place.
    pub(crate) fn forget(&self, token: &str, key: &str, outcome: &Outcome) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = (token.to_owned(), key.to_owned());
        let same = kept
            .by_key
            .get(&at)
            .is_some_and(|(_, there)| Arc::ptr_eq(there, outcome));
        if same {
            kept.by_key.remove(&at);
            kept.order.retain(|(_, key)| *key != at);
        }
    }
}

impl Kept {
    fn forget_old(&mut self) {
        while let Some((since, key)) = self.order.front() {
            if since.elapsed() < KEPT && self.order.len() < MOST {
                return;
            }
            self.by_key.remove(key);
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_leads_to_one_place_for_each_token() {
        let answered = Answered::default();
        let place = |token: &str, key: &str| answered.place(token, key, "a".to_owned()).unwrap();
        let first = place("t", "k");
        assert!(Arc::ptr_eq(&first, &place("t", "k")));
        assert!(!Arc::ptr_eq(&first, &place("u", "k")));
        assert!(!Arc::ptr_eq(&first, &place("t", "l")));
        let other = answered.place("t", "k", "b".to_owned()).unwrap_err();
        assert_eq!(other.body()["error"]["status"], 422);
        assert!(answered.place("t", "", "a".to_owned()).is_err());
        answered.forget("t", "k", &place("u", "k"));
        assert!(Arc::ptr_eq(&first, &place("t", "k")), "not its outcome");
        answered.forget("t", "k", &first);
        assert!(!Arc::ptr_eq(&first, &place("t", "k")));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let answered = Answered::default();
        let first = answered.place("t", "0", String::new()).unwrap();
        for key in 1..=MOST {
            answered
                .place("t", &key.to_string(), String::new())
                .unwrap();
        }
        let again = answered.place("t", "0", String::new()).unwrap();
        assert!(!Arc::ptr_eq(&first, &again));
    }
}
