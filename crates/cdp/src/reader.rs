//! The task that reads the pipe and gives each message to its owner. It never waits for one.

use std::sync::{Arc, Weak};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;

use crate::envelope::{self, Incoming, MalformedMessage};
use crate::error::{CRASHED, SESSION_NOT_FOUND};
use crate::framing::{FrameError, Frames};
use crate::json::Unreadable;
use crate::member::Inbound;
use crate::pending::{Call, Caller};
use crate::protocol::inspector::EventTargetReloadedAfterCrash;
use crate::protocol::page::EventFrameNavigated;
use crate::protocol::target::{
    EventAttachedToTarget, EventDetachedFromTarget, EventTargetCrashed, EventTargetDestroyed,
};
use crate::queue::PushError;
use crate::sessions::Owner;
use crate::state::{Live, Shared};
use crate::{CallError, CloseReason, Event, RemoteError, SessionId};

/// Reads until the end of input. After we close the connection it continues to read and discards, so
/// that an exiting browser never blocks in a write.
pub(crate) async fn run<R: AsyncRead + Unpin>(mut frames: Frames<R>, shared: Weak<Shared>) {
    let reason = loop {
        match frames.next().await {
            Ok(Some(frame)) => {
                let Some(shared) = shared.upgrade() else {
                    continue;
                };
                let fine = shared.with(|live| live.dispatch(&frame));
                if let Ok(Err(reason)) = fine {
                    shared.finish(reason);
                }
            }
            Ok(None) => break CloseReason::Ended,
            Err(FrameError::Oversized(limit)) => break CloseReason::Oversized { limit },
            Err(FrameError::Io(error)) => break CloseReason::Read(error),
        }
    };
    if let Some(shared) = shared.upgrade() {
        shared.finish(reason);
    }
}

impl Live {
    /// Handles one message completely. An error ends the connection.
    fn dispatch(&mut self, frame: &[u8]) -> Result<(), CloseReason> {
        match envelope::parse(frame) {
            Ok(Incoming::Reply { id, result }) => {
                tracing::trace!(target: "szk_cdp::wire", id, ok = result.is_ok(), bytes = frame.len(), "answer");
                self.reply(id, result);
            }
            Ok(Incoming::Event {
                session,
                method,
                params,
            }) => {
                tracing::trace!(target: "szk_cdp::wire", session = session.as_deref(), "{method}");
                let event = Event {
                    session: session.map(|id| self.sessions.id(&id)),
                    method: method.into_owned(),
                    params,
                };
                return self.event(Arc::new(event));
            }
            Err(malformed) => self.malformed(frame.len(), &malformed),
        }
        Ok(())
    }

    fn reply(&mut self, id: u64, result: Result<Box<RawValue>, RemoteError>) {
        let Some(call) = self.pending.remove(id) else {
            tracing::trace!(id, "an answer without a pending call");
            return;
        };
        if call.attaches
            && let Ok(result) = &result
            && let Ok(attached) = strict::<Attached>(result)
        {
            let parent = call.session.as_ref().map(SessionId::as_str);
            self.sessions.attached(&attached.session, parent, None);
        }
        self.answer(call, result);
    }

    fn event(&mut self, event: Arc<Event>) -> Result<(), CloseReason> {
        match event.method.as_str() {
            EventAttachedToTarget::IDENTIFIER => self.attached(&event),
            EventDetachedFromTarget::IDENTIFIER => {
                if let Ok(Attached { session, .. }) = strict(&event.params) {
                    let gone = self.sessions.detached(&session);
                    let calls = self.pending.take_defaults_on(&gone);
                    self.end_calls(calls);
                    // As in Chromium, a member hears of the end before anything fails because of it: to
                    // Puppeteer a failure that comes first is one of the command.
                    self.route(event)?;
                    let calls = self.pending.take_on(&gone);
                    self.end_calls(calls);
                    return Ok(());
                }
            }
            EventTargetDestroyed::IDENTIFIER => {
                if let Ok(Destroyed { target }) = strict(&event.params) {
                    // The sessions are forgotten, and members answered, when their own end is reported.
                    let gone = self.sessions.on_target(&target);
                    let calls = self.pending.take_defaults_on(&gone);
                    self.end_calls(calls);
                }
            }
            EventTargetCrashed::IDENTIFIER => {
                if let Ok(Destroyed { target }) = strict(&event.params) {
                    let crashed = self.sessions.on_target(&target);
                    self.sessions.set_crashed(&crashed, true);
                    for call in self.pending.take_crashed(&crashed) {
                        if let Caller::Default(caller) = call.caller {
                            drop(caller.send(Err(CallError::Crashed)));
                        }
                    }
                }
            }
            EventFrameNavigated::IDENTIFIER | EventTargetReloadedAfterCrash::IDENTIFIER => {
                if let Some(session) = &event.session {
                    self.sessions
                        .set_crashed(std::slice::from_ref(session), false);
                }
            }
            _ => {}
        }
        self.route(event)
    }

    fn attached(&mut self, event: &Event) {
        match strict::<Attached>(&event.params) {
            Ok(Attached { session, info }) => {
                let parent = event.session.as_ref().map(SessionId::as_str);
                let target = info.map(|info| info.target);
                self.sessions.attached(&session, parent, target.as_deref());
            }
            Err(error) => tracing::warn!(%error, "cannot read which session was attached"),
        }
    }

    fn route(&mut self, event: Arc<Event>) -> Result<(), CloseReason> {
        let session = event.session.as_ref().map(SessionId::as_str);
        match self.sessions.owner(session) {
            Some(Owner::Default) => {
                // Having no subscriber is not an error.
                drop(self.broadcast.send(event.clone()));
                let weight = event.weight();
                if self.events.push(event, weight) == Err(PushError::Full) {
                    return Err(CloseReason::Overflow);
                }
            }
            Some(Owner::Member(member)) => self.deliver(member, Inbound::Event(event)),
            Some(Owner::Nobody) | None => {
                tracing::trace!(method = %event.method, ?session, "an event for an unknown session");
            }
        }
        Ok(())
    }

    /// Answers calls on sessions that went away.
    fn end_calls(&mut self, calls: Vec<Call>) {
        for call in calls {
            self.answer(call, Err(RemoteError::session_gone()));
        }
    }

    fn answer(&mut self, call: Call, result: Result<Box<RawValue>, RemoteError>) {
        match call.caller {
            Caller::Default(caller) => {
                let on_session = call.session.is_some();
                // The receiver may be dropping right now.
                drop(caller.send(result.map_err(|error| {
                    if on_session && error.code == SESSION_NOT_FOUND {
                        CallError::SessionGone
                    } else if error.message == CRASHED {
                        CallError::Crashed
                    } else {
                        error.into()
                    }
                })));
            }
            Caller::Member { member, id } => {
                let session = call.session;
                self.deliver(
                    member,
                    Inbound::Reply {
                        id,
                        session,
                        result,
                    },
                );
            }
        }
    }

    /// Skips an unreadable message. If it was the answer to a call, that call still ends.
    fn malformed(&mut self, bytes: usize, malformed: &MalformedMessage) {
        tracing::warn!(bytes, %malformed, "skipping a message that is not CDP");
        let Some(call) = malformed.id.and_then(|id| self.pending.remove(id)) else {
            return;
        };
        match call.caller {
            Caller::Default(caller) => {
                let reason = Unreadable::new("", &malformed.problem);
                let method = String::new();
                drop(caller.send(Err(CallError::Unreadable { method, reason })));
            }
            Caller::Member { .. } => self.answer(
                call,
                Err(RemoteError {
                    code: INTERNAL_ERROR,
                    message: "The browser's answer could not be read.".to_owned(),
                    data: None,
                }),
            ),
        }
    }
}

/// Ownership must be exact, so these few fields are parsed strictly.
fn strict<T: DeserializeOwned>(params: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(params.get())
}

/// JSON-RPC's code for a fault that is not the client's.
const INTERNAL_ERROR: i64 = -32603;

/// Of `Target.attachedToTarget`, `Target.detachedFromTarget` and the replies to attach calls.
#[derive(Deserialize)]
struct Attached {
    #[serde(rename = "sessionId")]
    session: String,
    #[serde(rename = "targetInfo")]
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "targetId")]
    target: String,
}

#[derive(Deserialize)]
struct Destroyed {
    #[serde(rename = "targetId")]
    target: String,
}
