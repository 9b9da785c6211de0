//! The behaviour of the peer, defined before it starts.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::peer::{self, Peer};
use super::{Answer, Call};
use crate::connection::Limits;
use crate::{Connection, Events};

type Handler = Box<dyn FnMut(&Call) -> Option<Answer> + Send>;

/// Capacity of the in-memory pipe in bytes: that of a pipe on Linux.
const PIPE: usize = 64 * 1024;

/// Answers by failure, closure and table, in this order; `{}` if none of them applies.
#[derive(Default)]
pub struct Script {
    failures: HashMap<(String, usize), Answer>,
    seen: HashMap<String, usize>,
    handlers: Vec<Handler>,
    table: HashMap<String, Answer>,
    deaf: bool,
    limits: Limits,
}

impl Script {
    /// A script that answers `{}` to everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a method, always in the same way.
    pub fn answer(mut self, method: &str, answer: impl Into<Answer>) -> Self {
        self.table.insert(method.to_owned(), answer.into());
        self
    }

    /// Answers by examining the call; `None` leaves it to the next handler, then to the table.
    pub fn answer_with(
        mut self,
        handler: impl FnMut(&Call) -> Option<Answer> + Send + 'static,
    ) -> Self {
        self.handlers.push(Box::new(handler));
        self
    }

    /// Adds what another script does, after what this one does.
    pub fn then(mut self, other: Self) -> Self {
        self.handlers.extend(other.handlers);
        for (method, answer) in other.table {
            self.table.entry(method).or_insert(answer);
        }
        for (call, answer) in other.failures {
            self.failures.entry(call).or_insert(answer);
        }
        self
    }

    /// Fails the `nth` call of a method, counted from 1.
    pub fn fail_nth(self, method: &str, nth: usize, code: i64, message: &str) -> Self {
        self.nth(method, nth, Answer::error(code, message))
    }

    /// Answers the `nth` call of a method, counted from 1, differently.
    pub fn nth(mut self, method: &str, nth: usize, answer: Answer) -> Self {
        self.failures.insert((method.to_owned(), nth), answer);
        self
    }

    /// Never reads, so that the pipe fills up.
    pub fn deaf(mut self) -> Self {
        self.deaf = true;
        self
    }

    /// Lowers the size of the largest message that the connection takes, in bytes.
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.limits.message = bytes;
        self
    }

    /// Lowers how many commands may wait for the writer.
    pub fn outgoing_limit(mut self, commands: usize) -> Self {
        self.limits.outgoing = commands;
        self
    }

    /// Lowers how many events may wait for the supervisor.
    pub fn events_limit(mut self, events: usize) -> Self {
        self.limits.events = events;
        self
    }

    /// Starts the peer and connects to it.
    pub fn start(self) -> (Connection, Events, Peer) {
        let (ours, commands) = tokio::io::duplex(PIPE);
        let (messages, reader) = tokio::io::duplex(PIPE);
        let (connection, events) = Connection::start_within(self.limits, reader, ours);
        let peer = peer::start(commands, messages, self);
        (connection, events, peer)
    }

    pub(super) fn is_deaf(&self) -> bool {
        self.deaf
    }

    pub(super) fn react(&mut self, call: &Call) -> Answer {
        let seen = self.seen.entry(call.method.clone()).or_default();
        *seen += 1;
        if let Some(answer) = self.failures.get(&(call.method.clone(), *seen)) {
            return answer.clone();
        }
        if let Some(answer) = self.handlers.iter_mut().find_map(|handle| handle(call)) {
            return answer;
        }
        let known = self.table.get(&call.method).cloned();
        known.unwrap_or_else(|| Answer::ok(empty()))
    }
}

fn empty() -> Value {
    json!({})
}
