//! The handle of a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{broadcast, oneshot};

use crate::framing::{self, Frames};
use crate::input_clock::InputClock;
use crate::pending::{Caller, Pending};
use crate::queue::queue;
use crate::reply::{Done, Waiting};
use crate::sessions::Sessions;
use crate::state::{Live, Shared};
use crate::{CallError, CloseReason, Command, Events, Inbox, Member, Reply, SessionId};
use crate::{Subscription, crash, reader, writer};

/// How many events a subscriber may fall behind before it loses the oldest.
const SUBSCRIPTION: usize = 8192;

/// Limits of a connection. Each queue also takes at most 256 MiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The largest message, in bytes.
    pub(crate) message: usize,
    /// Commands that wait for the writer.
    pub(crate) outgoing: usize,
    /// Events that wait for the supervisor.
    pub(crate) events: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: framing::LIMIT,
            outgoing: 65_536,
            events: 65_536,
        }
    }
}

/// An open pipe to a browser. Clones share the connection; dropping the last one, with all members and
/// replies, closes the pipe, which ends a Chromium that was started with it.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    ends_with_renderer: bool,
}

impl Connection {
    /// Starts the tasks that read and write NUL-delimited JSON, on the current runtime.
    ///
    /// `Events` belongs to the supervisor: every event of the root session and of all sessions below it
    /// that no member owns, in wire order. If it falls behind by more than 65536 events or 256 MiB, the
    /// connection closes with [`CloseReason::Overflow`]; dropping it means that no one listens.
    pub fn start<R, W>(reader: R, writer: W) -> (Self, Events)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::start_within(Limits::default(), reader, writer)
    }

    pub(crate) fn start_within<R, W>(limits: Limits, reader: R, writer: W) -> (Self, Events)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let frames = Frames::with_limit(reader, limits.message);
        let (outgoing, commands) = queue(limits.outgoing, framing::LIMIT);
        let (events, supervisor) = queue(limits.events, framing::LIMIT);
        let shared = Arc::new(Shared::new(Live {
            pending: Pending::default(),
            sessions: Sessions::default(),
            members: HashMap::new(),
            events,
            broadcast: broadcast::Sender::new(SUBSCRIPTION),
            outgoing,
            input_clock: InputClock::start(),
        }));
        tokio::spawn(reader::run(frames, Arc::downgrade(&shared)));
        let closed = shared.watch();
        let weak = Arc::downgrade(&shared);
        tokio::spawn(writer::run(writer, commands, closed, weak));
        let connection = Self {
            shared,
            ends_with_renderer: false,
        };
        (connection, Events::new(supervisor))
    }

    /// The same connection, for callers that do not wait for a page without a renderer.
    ///
    /// If a renderer died before it answered, or is already dead, Chromium only answers at the page's
    /// next navigation. Calls of this handle fail at once with [`CallError::Crashed`].
    #[must_use]
    pub fn ending_with_renderer(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            ends_with_renderer: true,
        }
    }

    /// Sends a command and waits for its answer, which is read as `T`; [`Done`] reads nothing. `None` is
    /// the root session.
    ///
    /// There is no time limit here: the caller has a budget, and dropping the future forgets the call.
    /// The command is written when the future is first polled; use [`Connection::post`] if the order
    /// matters.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        session: Option<&SessionId>,
        command: &impl Command,
    ) -> Result<T, CallError> {
        self.post(session, command).await
    }

    /// Sends a command and waits until it is done, like [`Connection::ask`].
    pub async fn run(
        &self,
        session: Option<&SessionId>,
        command: &impl Command,
    ) -> Result<(), CallError> {
        self.post::<Done>(session, command).await.map(drop)
    }

    /// Sends a command at once: two posts reach the browser in the order of the calls. Await the reply
    /// later.
    pub fn post<T: DeserializeOwned>(
        &self,
        session: Option<&SessionId>,
        command: &impl Command,
    ) -> Reply<T> {
        let method = command.identifier();
        match serde_json::value::to_raw_value(command) {
            Ok(params) => Reply::read(self.send(session, &method, Some(&params)), method),
            Err(error) => {
                tracing::warn!(%method, %error, "the parameters have no JSON form");
                Reply::read(Err(CallError::NotSent), method)
            }
        }
    }

    /// Sends a command at once, and ignores the answer.
    pub fn tell(&self, session: Option<&SessionId>, command: &impl Command) {
        drop(self.post::<Done>(session, command));
    }

    /// [`Connection::ask`] without types, for tests with methods that Chromium does not have.
    pub async fn call_raw(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Result<Box<RawValue>, CallError> {
        self.post_raw(session, method, params).await
    }

    /// [`Connection::post`] without types, for tests.
    pub fn post_raw(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Reply<Box<RawValue>> {
        Reply::raw(self.send(session, method, params.as_deref()), method)
    }

    /// The supervisor's events for any other observer: a subscriber that falls behind loses the oldest
    /// events and learns how many. It starts with the next event.
    pub fn subscribe(&self) -> Subscription {
        let receiver = self.shared.with(|live| live.broadcast.subscribe());
        // On a closed connection: a channel without a sender, which ends at once.
        Subscription::new(receiver.unwrap_or_else(|_| broadcast::channel(1).1))
    }

    /// Adds an owner beside the supervisor, with one FIFO of at most `bound` messages (and 256 MiB) that
    /// keeps its replies and events in wire order.
    pub fn join(&self, bound: usize) -> (Member, Inbox) {
        Member::join(self.shared.clone(), bound)
    }

    /// The `timestamp` for an input event that was due this long ago. Events without one get the present;
    /// all of them are moved to the whole milliseconds of real devices. `None` if the platform's devices
    /// are not known to have any, or the connection has ended.
    pub fn input_time(&self, late: Duration) -> Option<f64> {
        self.shared.with(|live| live.input_clock.ago(late)).ok()?
    }

    /// Closes the connection: unanswered calls end at once, and queued commands are written for up to a
    /// second. Then the writing end closes, which Chromium takes as a request to exit.
    pub fn close(&self) {
        self.shared.finish(CloseReason::Asked);
    }

    /// Waits until the connection ends and returns the reason.
    pub async fn closed(&self) -> Arc<CloseReason> {
        let mut closed = self.shared.watch();
        match closed.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(reason)) => reason.clone(),
            // `self` holds the sender through `shared`; a dropped one means the end, too.
            _ => Arc::new(CloseReason::Ended),
        }
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.shared.with(|_| ()).is_err()
    }

    /// Number of unanswered calls, of all owners.
    pub fn pending(&self) -> usize {
        self.shared.with(|live| live.pending.len()).unwrap_or(0)
    }

    fn send(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Waiting, CallError> {
        let (caller, answer) = oneshot::channel();
        let sent = self.shared.with(|live| {
            if session.is_some_and(|session| live.sessions.is_gone(session)) {
                return Err(CallError::SessionGone);
            }
            if let Some(session) = session.filter(|session| live.sessions.has_crashed(session)) {
                if crash::leads_out(method) {
                    let session = std::slice::from_ref(session);
                    live.sessions.set_crashed(session, false);
                } else if self.ends_with_renderer && !crash::survives(method) {
                    return Err(CallError::Crashed);
                }
            }
            let ends = self.ends_with_renderer && !crash::survives(method);
            live.send(session, method, params, Caller::Default(caller), ends)
                .map_err(|_| CallError::NotSent)
        });
        let id = sent.map_err(|reason| CallError::Closed { reason })??;
        Ok(Waiting::new(self.shared.clone(), id, answer))
    }
}
