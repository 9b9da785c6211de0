//! State that the tasks and handles of one connection share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};

use crate::error::SendError;
use crate::input_clock::InputClock;
use crate::member::{InboxPush, MemberId};
use crate::pending::{Call, Caller, Pending};
use crate::protocol::target::{AttachToBrowserTargetParams, AttachToTargetParams};
use crate::queue::{Push, PushError};
use crate::sessions::Sessions;
use crate::{CallError, CloseReason, Event, SessionId, envelope};

/// Behind every handle. The tasks hold it weakly, so dropping the last handle closes the pipe.
pub(crate) struct Shared {
    /// A std mutex: nothing awaits under it, and it is held only for map operations and pushes. One lock
    /// for everything, so that the wire, the maps and the queues have the same order.
    state: Mutex<State>,
    closed: watch::Sender<Option<Arc<CloseReason>>>,
}

enum State {
    Live(Box<Live>),
    Closed(Arc<CloseReason>),
}

/// The state of an open connection. Dropping it closes every queue it feeds.
pub(crate) struct Live {
    pub(crate) pending: Pending,
    pub(crate) sessions: Sessions,
    pub(crate) members: HashMap<MemberId, InboxPush>,
    /// To the supervisor.
    pub(crate) events: Push<Arc<Event>>,
    /// To all subscribers of the supervisor's events.
    pub(crate) broadcast: broadcast::Sender<Arc<Event>>,
    /// To the writer, which closes the pipe once this is dropped and the queue is written.
    pub(crate) outgoing: Push<Vec<u8>>,
    /// The time of input events.
    pub(crate) input_clock: InputClock,
}

impl Shared {
    pub(crate) fn new(live: Live) -> Self {
        Self {
            state: Mutex::new(State::Live(Box::new(live))),
            closed: watch::Sender::new(None),
        }
    }

    /// Works on the state; the error says why the connection is closed.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Live) -> T) -> Result<T, Arc<CloseReason>> {
        match &mut *self.lock() {
            State::Live(live) => Ok(work(live)),
            State::Closed(reason) => Err(reason.clone()),
        }
    }

    /// Ends the connection and everything that waits for it. Only the first reason counts.
    pub(crate) fn finish(&self, reason: CloseReason) {
        let reason = Arc::new(reason);
        let mut state = self.lock();
        if matches!(*state, State::Closed(_)) {
            return;
        }
        let old = std::mem::replace(&mut *state, State::Closed(reason.clone()));
        drop(state);
        tracing::debug!(%reason, "connection closed");
        if let State::Live(mut live) = old {
            for call in live.pending.take_all() {
                // A member sees the end of its inbox instead.
                if let Caller::Default(caller) = call.caller {
                    let reason = reason.clone();
                    drop(caller.send(Err(CallError::Closed { reason })));
                }
            }
        }
        self.closed.send_replace(Some(reason));
    }

    /// Notified when [`Shared::finish`] is called, without keeping the connection open.
    pub(crate) fn watch(&self) -> watch::Receiver<Option<Arc<CloseReason>>> {
        self.closed.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock is a bug in a handler; the maps stay usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// Queues a command. The order in the queue is the order on the wire.
    pub(crate) fn send(
        &mut self,
        session: Option<&SessionId>,
        method: &str,
        params: Option<&RawValue>,
        caller: Caller,
        ends_with_renderer: bool,
    ) -> Result<u32, SendError> {
        let attaches = matches!(
            method,
            AttachToTargetParams::IDENTIFIER | AttachToBrowserTargetParams::IDENTIFIER
        );
        let id = self.pending.insert(Call {
            session: session.cloned(),
            attaches,
            ends_with_renderer,
            caller,
        });
        let stamped = self.input_clock.stamped(method, params);
        let params = stamped.as_deref().or(params);
        let queued = envelope::encode(id, session, method, params)
            .map_err(|_| SendError::Full)
            .and_then(|message| {
                let weight = message.len();
                self.outgoing
                    .push(message, weight)
                    .map_err(|error| match error {
                        PushError::Full => SendError::Full,
                        PushError::Closed => SendError::Closed,
                    })
            });
        if queued.is_err() {
            self.pending.remove(u64::from(id));
        }
        // Parameters may be secret; who waits for what is seen without them.
        tracing::trace!(target: "szk_cdp::wire", id, session = session.map(SessionId::as_str), "{method}");
        queued.map(|()| id)
    }
}
