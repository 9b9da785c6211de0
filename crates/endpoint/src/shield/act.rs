//! What the shield wants to be done.

use serde_json::Value;
use serde_json::value::RawValue;
use szk_cdp::{SessionId, raw};

/// One thing to do. They are done in the order in which they are listed.
#[derive(Debug)]
pub(crate) enum Act {
    /// The event that is being looked at goes to the client. Without this it does not.
    Pass,
    /// A command for the browser, whose answer comes back to the shield.
    Ask {
        session: SessionId,
        method: &'static str,
        params: Box<RawValue>,
        ask: Ask,
    },
    /// An event for the client, as if the browser had sent it.
    Tell {
        session: SessionId,
        method: &'static str,
        params: Box<RawValue>,
    },
    /// The answer to a command that the browser did not see.
    Answer(Caller),
}

/// Who waits for an answer: the client's id, and the session as it named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) id: i32,
    pub(crate) named: Option<SessionId>,
}

/// What an answer of the browser is for.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(super) session: SessionId,
    pub(super) step: Step,
}

#[derive(Debug)]
pub(super) enum Step {
    /// Nobody wants the answer.
    Nothing,
    /// The frames that there are.
    Tree,
    /// The realm of a worker.
    Worker,
    /// The script that stands in for a binding.
    StandIn(String),
    /// What a page called before the binding was there: its name, and the context.
    Kept(String, i64),
    /// Something about a frame.
    Frame(Frame, Of),
}

/// A question about a frame. It is stale when the frame is somewhere else by now.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) id: String,
    /// Where the frame was when it was asked.
    pub(super) visit: u64,
    /// Asked because the client enabled `Runtime`, which is answered when all of these are.
    pub(super) first: bool,
}

#[derive(Debug)]
pub(super) enum Of {
    /// An object of its own realm.
    Main,
    /// The element that holds it; then its document; then an object of that.
    Owner,
    Document,
    /// A named world of it.
    World(String),
}

impl Ask {
    pub(super) fn act(
        session: &SessionId,
        method: &'static str,
        params: &Value,
        step: Step,
    ) -> Act {
        Act::Ask {
            session: session.clone(),
            method,
            params: raw(params),
            ask: Self {
                session: session.clone(),
                step,
            },
        }
    }
}

impl Act {
    pub(super) fn tell(session: &SessionId, method: &'static str, params: &Value) -> Self {
        Self::Tell {
            session: session.clone(),
            method,
            params: raw(params),
        }
    }
}
