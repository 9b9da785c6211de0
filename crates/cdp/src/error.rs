//! Errors of calls, of a member's messages, and of the connection itself.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::json::{Unreadable, or_default};

/// Chromium's error code for an unknown session.
pub(crate) const SESSION_NOT_FOUND: i64 = -32001;

/// Chromium's message for a call that its renderer died before answering.
pub(crate) const CRASHED: &str = "Target crashed";

/// An error object of the protocol, kept so that it can be passed on unchanged.
#[derive(Debug, Clone, thiserror::Error, Serialize, Deserialize)]
#[error("{message} ({code})")]
pub struct RemoteError {
    /// JSON-RPC code, or one of Chromium's own.
    #[serde(default, deserialize_with = "or_default")]
    pub code: i64,
    /// Chromium's message.
    #[serde(default, deserialize_with = "or_default")]
    pub message: String,
    /// Details; if Chromium sends any, they are a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl RemoteError {
    /// The answer that a member gets for unanswered calls on a session that went away.
    pub(crate) fn session_gone() -> Self {
        Self {
            code: SESSION_NOT_FOUND,
            message: "Session with given id not found.".to_owned(),
            data: None,
        }
    }
}

/// Why a call of the default owner has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallError {
    /// Chromium refused it, or it failed.
    #[error("{message} ({code})")]
    Remote {
        /// JSON-RPC code, or one of Chromium's own.
        code: i64,
        /// Chromium's message.
        message: String,
        /// Details, if Chromium sent any.
        data: Option<Box<RawValue>>,
    },
    /// The session was detached, or its target destroyed, before the answer.
    #[error("the session is gone")]
    SessionGone,
    /// The renderer of the session's page or frame died; it answers again after a navigation.
    #[error("the page has crashed")]
    Crashed,
    /// The connection ended before the answer; the command may or may not have taken effect.
    #[error("the connection to the browser is closed: {reason}")]
    Closed {
        /// Why it ended.
        reason: Arc<CloseReason>,
    },
    /// The answer does not have the expected shape.
    #[error("cannot read the answer to `{method}`: {reason}")]
    Unreadable {
        /// The command.
        method: String,
        /// Where parsing stopped.
        reason: Unreadable,
    },
    /// Nothing was written: the outgoing queue is full, or the parameters have no JSON form.
    #[error("the command was not sent")]
    NotSent,
}

impl From<RemoteError> for CallError {
    fn from(error: RemoteError) -> Self {
        let RemoteError {
            code,
            message,
            data,
        } = error;
        Self::Remote {
            code,
            message,
            data,
        }
    }
}

/// Why a member's message was not put on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The session is unknown, was detached, or belongs to another owner. The root session belongs to
    /// the supervisor.
    #[error("the session does not belong to this member")]
    NotYours,
    /// The outgoing queue is full.
    #[error("the outgoing queue is full")]
    Full,
    /// The connection ended, or the member overflowed.
    #[error("the connection is closed")]
    Closed,
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
pub enum CloseReason {
    /// [`crate::Connection::close`] was called.
    #[error("closed by us")]
    Asked,
    /// The browser closed its end; usually it exited.
    #[error("the browser closed the pipe")]
    Ended,
    /// Reading failed.
    #[error("reading from the browser failed")]
    Read(#[source] io::Error),
    /// Writing failed, although the browser did not close its end.
    #[error("writing to the browser failed")]
    Write(#[source] io::Error),
    /// A message was larger than the limit, in bytes.
    #[error("a message was larger than {limit} bytes")]
    Oversized {
        /// The limit.
        limit: usize,
    },
    /// The supervisor fell behind on its events; dropping some would lose track of targets.
    #[error("the supervisor fell behind on events")]
    Overflow,
}
