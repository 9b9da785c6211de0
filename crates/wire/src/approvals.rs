//! Calls that wait for a person's approval, by token: `[policy] approve`.
//!
//! A token is good once, for a while, and only for the call that the person was asked about: the one with
//! the same digest. It names each step that the person has read.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use szk_store::Token;
use tokio::time::Instant;

use crate::CAN_ASK;

/// Most calls that can wait at the same time.
const MOST: usize = 64;

/// Who can approve a call.
#[derive(Debug, Clone, Default)]
pub enum Approver {
    /// Nobody: a call that needs an approval fails.
    #[default]
    Nobody,
    /// A person whom the front end asks.
    Person,
    /// A person who has agreed to the call with this token.
    Agreed(String),
}

impl Approver {
    /// Reads the header.
    #[must_use]
    pub fn read(header: Option<&str>) -> Self {
        match header {
            None => Self::Nobody,
            Some(CAN_ASK) => Self::Person,
            Some(token) => Self::Agreed(token.to_owned()),
        }
    }
}

/// A step that the person has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// In words.
    pub what: String,
    /// The address that it leads to, or the name of the file that it downloads.
    pub to: Option<String>,
}

/// The calls that wait for an approval, by token.
#[derive(Default)]
pub struct Approvals {
    // A std mutex: nothing awaits under it.
    waiting: Mutex<HashMap<String, Waiting>>,
}

struct Waiting {
    digest: Vec<u8>,
    steps: Vec<Agreed>,
    until: Instant,
}

impl Approvals {
    /// A token for a call; none if too many wait, or the system has no randomness.
    #[must_use]
    pub fn offer(&self, digest: Vec<u8>, steps: Vec<Agreed>, time: Duration) -> Option<String> {
        let token = Token::fresh().ok()?.reveal().to_owned();
        let now = Instant::now();
        let mut waiting = self.lock();
        waiting.retain(|_, one| one.until > now);
        if waiting.len() >= MOST {
            return None;
        }
        let until = now + time;
        let one = Waiting {
            digest,
            steps,
            until,
        };
        waiting.insert(token.clone(), one);
        Some(token)
    }

    /// Uses up a token: the steps of this call that it approves, if it is good for the call.
    #[must_use]
    pub fn take(&self, token: &str, digest: &[u8]) -> Option<Vec<Agreed>> {
        let one = self.lock().remove(token)?;
        (one.digest == digest && Instant::now() < one.until).then_some(one.steps)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
