//! Requests of the shield to its client's task.

use serde_json::Value;
use serde_json::value::RawValue;
use szk_cdp::{Command, Request, SessionId, raw};

/// One thing to do. Acts are done in the order of the list.
#[derive(Debug)]
pub(crate) enum Act {
    /// Pass the current event to the client. Without this it is dropped.
    Pass,
    /// Send a command to the browser, and the answer back to the shield.
    Ask {
        session: SessionId,
        request: Request,
        ask: Ask,
    },
    /// Send an event to the client, as if from the browser.
    Tell {
        session: SessionId,
        method: &'static str,
        params: Box<RawValue>,
    },
    /// Answer a command that the browser did not see.
    Answer(Caller),
}

/// Who waits for an answer: the client's message id, and the session as it named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) id: i32,
    pub(crate) named: Option<SessionId>,
}

/// The purpose of an answer from the browser.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(super) session: SessionId,
    pub(super) step: Step,
}

#[derive(Debug)]
pub(super) enum Step {
    /// The answer does not matter.
    Nothing,
    /// The frame tree.
    Tree,
    /// The realm of a worker.
    Worker,
    /// The script of a stand-in for a binding.
    StandIn(String),
    /// The calls that a page made before the binding was there: its name, and the context.
    Kept(String, i64),
    /// Something about a frame.
    Frame(Frame, Of),
}

/// A question about a frame. It is stale if the frame has navigated meanwhile.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) id: String,
    /// The frame's document when the question was asked.
    pub(super) visit: u64,
    /// Asked because the client enabled `Runtime`, which is answered once all of these are.
    pub(super) first: bool,
}

#[derive(Debug)]
pub(super) enum Of {
    /// An object of its own realm.
    Main,
    /// The element that holds it, then its document, then an object of that.
    Owner,
    Document,
    /// A named world of it.
    World(String),
}

impl Ask {
    pub(super) fn act(session: &SessionId, command: &impl Command, step: Step) -> Act {
        Act::Ask {
            session: session.clone(),
            request: Request::of(command),
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
