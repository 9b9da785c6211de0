//! An owner beside the supervisor: one client of the shared endpoint.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::value::RawValue;

use crate::pending::Caller;
use crate::queue::{Pull, Push, PushError, queue};
use crate::sessions::Owner;
use crate::state::{Live, Shared};
use crate::{Command, Event, RemoteError, Request, SendError, SessionId, framing};

/// Sends messages for one client, on the sessions that it owns.
///
/// A member owns the sessions it claims with [`Member::own`], and those attached on one of its own,
/// which the reader records before it looks at the next message. Dropping a member forgets its calls;
/// its sessions then have no owner, and their events are discarded until Chromium ends them.
pub struct Member {
    shared: Arc<Shared>,
    id: MemberId,
}

/// What one client receives, in wire order.
pub struct Inbox {
    queue: Pull<Inbound>,
    overflowed: Arc<AtomicBool>,
    told: bool,
}

/// A message for a member.
#[derive(Debug)]
pub enum Inbound {
    /// The answer to a message.
    Reply {
        /// The id passed to [`Member::send`].
        id: u64,
        /// The session passed to [`Member::send`].
        session: Option<SessionId>,
        /// Chromium's answer; calls on a session that went away end with its code -32001.
        result: Result<Box<RawValue>, RemoteError>,
    },
    /// An event on a session of the member.
    Event(Arc<Event>),
    /// The inbox was not emptied in time. Comes once, replaces everything that waited, and is the last
    /// message: the member is dead.
    Overflow,
}

impl Member {
    pub(crate) fn join(shared: Arc<Shared>, bound: usize) -> (Self, Inbox) {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = MemberId(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        let (push, queue) = queue(bound, framing::LIMIT);
        let overflowed = Arc::new(AtomicBool::new(false));
        let entry = InboxPush {
            push,
            overflowed: overflowed.clone(),
        };
        // On a closed connection: the entry is dropped and the inbox ends at once.
        drop(shared.with(|live| live.members.insert(id, entry)));
        let inbox = Inbox {
            queue,
            overflowed,
            told: false,
        };
        (Self { shared, id }, inbox)
    }

    /// Queues a message of the client. `id` is the client's own and comes back with the reply; on the wire it is a
    /// different one. The order of calls is the order on the wire.
    ///
    /// The message is not interpreted: mapping the client's root session, and refusing or changing
    /// methods, is up to the caller. `None` is the root session, which no member owns.
    pub fn send(
        &self,
        id: u64,
        session: Option<SessionId>,
        method: &str,
        params: Option<Box<RawValue>>,
    ) -> Result<(), SendError> {
        self.queue(id, session.as_ref(), method, params.as_deref())
    }

    /// Queues a command of ours in the client's name, like [`Member::send`].
    pub fn post(
        &self,
        id: u64,
        session: &SessionId,
        command: &impl Command,
    ) -> Result<(), SendError> {
        let request = Request::of(command);
        self.queue(id, Some(session), request.method(), Some(request.params()))
    }

    fn queue(
        &self,
        id: u64,
        session: Option<&SessionId>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<(), SendError> {
        let sent = self.shared.with(|live| {
            if !live.members.contains_key(&self.id) {
                return Err(SendError::Closed);
            }
            let owner = session.and_then(|session| live.sessions.owner(Some(session.as_str())));
            if owner != Some(Owner::Member(self.id)) {
                return Err(SendError::NotYours);
            }
            let caller = Caller::Member {
                member: self.id,
                id,
            };
            live.send(session, method, params, caller, false)
                .map(|_| ())
        });
        sent.unwrap_or(Err(SendError::Closed))
    }

    /// Claims a session, with all sessions attached on it. Returns false if another member has it, if it
    /// is already gone, or if the member is dead.
    pub fn own(&self, session: impl Into<SessionId>) -> bool {
        let session = session.into();
        let owned = self.shared.with(|live| {
            live.members.contains_key(&self.id) && live.sessions.claim(&session, self.id)
        });
        owned.unwrap_or(false)
    }

    /// Whether this member owns a session.
    pub fn owns(&self, session: &SessionId) -> bool {
        let owner = self
            .shared
            .with(|live| live.sessions.owner(Some(session.as_str())));
        matches!(owner, Ok(Some(Owner::Member(id))) if id == self.id)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        drop(self.shared.with(|live| live.leave(self.id)));
    }
}

impl Inbox {
    /// The next message; `None` if the member was dropped or died, or if the connection ended.
    pub async fn recv(&mut self) -> Option<Inbound> {
        if self.overflowed.load(Ordering::Acquire) {
            // After a gap the waiting messages are useless to the client.
            while self.queue.try_recv().is_some() {}
            let first = !std::mem::replace(&mut self.told, true);
            return first.then_some(Inbound::Overflow);
        }
        self.queue.recv().await
    }
}

/// Distinguishes members; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MemberId(pub(crate) u64);

/// The reader's end of an inbox.
pub(crate) struct InboxPush {
    push: Push<Inbound>,
    overflowed: Arc<AtomicBool>,
}

impl Live {
    /// Delivers a message to a member; a full inbox kills the member.
    pub(crate) fn deliver(&mut self, member: MemberId, message: Inbound) {
        let Some(inbox) = self.members.get(&member) else {
            return;
        };
        let weight = message.weight();
        if inbox.push.push(message, weight) == Err(PushError::Full) {
            inbox.overflowed.store(true, Ordering::Release);
            tracing::warn!(?member, "a client does not read; dropping it");
            self.leave(member);
        }
    }

    /// Forgets a member.
    pub(crate) fn leave(&mut self, member: MemberId) {
        self.members.remove(&member);
        self.pending.forget(member);
        self.sessions.abandon(member);
    }
}

impl Inbound {
    /// Its weight in a queue, in bytes.
    fn weight(&self) -> usize {
        match self {
            Self::Reply {
                result: Ok(result), ..
            } => result.get().len(),
            Self::Reply {
                result: Err(error), ..
            } => error.message.len(),
            Self::Event(event) => event.weight(),
            Self::Overflow => 0,
        }
    }
}
