//! What the peer receives and what it answers.

use serde::Deserialize;
use serde_json::{Value, json};

/// A command as the peer received it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Call {
    /// The id on the wire.
    pub id: u64,
    /// `Domain.command`.
    pub method: String,
    /// `None` is the root session.
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    /// `null` if there are none.
    #[serde(default)]
    pub params: Value,
}

/// The reaction to a command: messages in order, and possibly the end.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Result(Value),
    Error { code: i64, message: String },
    Message(Value),
    Raw(Vec<u8>),
    Close,
}

impl Answer {
    /// A result.
    pub fn ok(result: Value) -> Self {
        Self::silence().then(Step::Result(result))
    }

    /// An error object.
    pub fn error(code: i64, message: &str) -> Self {
        let message = message.to_owned();
        Self::silence().then(Step::Error { code, message })
    }

    /// Nothing: the call stays unanswered unless [`super::Peer::reply`] is used.
    pub fn silence() -> Self {
        Self::default()
    }

    /// The browser exits.
    pub fn close() -> Self {
        Self::silence().then(Step::Close)
    }

    /// Raw bytes, without a terminator.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::silence().then(Step::Raw(bytes.into()))
    }

    /// Appends an event. Chain onto [`Answer::silence`] and end with [`Answer::and`] to send it first.
    pub fn event(self, session: Option<&str>, method: &str, params: Value) -> Self {
        self.then(Step::Message(event(session, method, params)))
    }

    /// Appends another answer.
    pub fn and(mut self, next: Self) -> Self {
        self.steps.extend(next.steps);
        self
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

impl From<Value> for Answer {
    fn from(result: Value) -> Self {
        Self::ok(result)
    }
}

/// An event with its envelope.
pub(super) fn event(session: Option<&str>, method: &str, params: Value) -> Value {
    let mut event = json!({"method": method, "params": params});
    if let Some(session) = session {
        event["sessionId"] = session.into();
    }
    event
}

/// A reply with its envelope.
pub(super) fn reply(call: &Call, key: &str, content: Value) -> Value {
    let mut reply = json!({"id": call.id});
    reply[key] = content;
    if let Some(session) = &call.session {
        reply["sessionId"] = session.as_str().into();
    }
    reply
}
