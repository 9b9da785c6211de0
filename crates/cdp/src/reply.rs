//! The answer to a command that was posted.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use chromiumoxide_types::MethodId;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::state::Shared;
use crate::{CallError, json};

/// An answer of which nothing is wanted but that it came.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(from = "IgnoredAny")]
pub struct Done;

impl From<IgnoredAny> for Done {
    fn from(_: IgnoredAny) -> Self {
        Self
    }
}

type Answer = Result<Box<RawValue>, CallError>;

/// A future of the answer. Dropping it forgets the call: what was written stays written, its answer
/// is discarded when it comes.
#[must_use = "drop it in words, if nobody cares for the answer"]
pub struct Reply<T> {
    waiting: Result<Waiting, Option<CallError>>,
    method: MethodId,
    read: fn(&MethodId, Box<RawValue>) -> Result<T, CallError>,
}

impl Reply<Box<RawValue>> {
    pub(crate) fn raw(waiting: Result<Waiting, CallError>, method: &str) -> Self {
        Self {
            waiting: waiting.map_err(Some),
            method: method.to_owned().into(),
            read: |_, result| Ok(result),
        }
    }
}

impl<T: DeserializeOwned> Reply<T> {
    pub(crate) fn read(waiting: Result<Waiting, CallError>, method: MethodId) -> Self {
        Self {
            waiting: waiting.map_err(Some),
            method,
            read: |method, result| {
                json::read(result.get()).map_err(|reason| CallError::Unreadable {
                    method: method.to_string(),
                    reason,
                })
            },
        }
    }
}

impl<T> Future for Reply<T> {
    type Output = Result<T, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let answer = match &mut this.waiting {
            Ok(waiting) => ready!(waiting.poll(cx)),
            // Polled again after it was ready, which futures may answer as they like.
            Err(error) => Err(error.take().unwrap_or(CallError::NotSent)),
        };
        this.waiting = Err(None);
        Poll::Ready(match answer {
            Ok(result) => (this.read)(&this.method, result),
            // The reader does not know the method of what it could not read.
            Err(CallError::Unreadable { reason, .. }) => Err(CallError::Unreadable {
                method: this.method.to_string(),
                reason,
            }),
            Err(error) => Err(error),
        })
    }
}

/// A call on the wire. Its entry leaves the map with this, however the call ends.
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    id: u32,
    answer: oneshot::Receiver<Answer>,
}

impl Waiting {
    pub(crate) fn new(shared: Arc<Shared>, id: u32, answer: oneshot::Receiver<Answer>) -> Self {
        Self { shared, id, answer }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Answer> {
        // An entry is answered whenever it is taken out; a silent end would be the session's.
        Pin::new(&mut self.answer)
            .poll(cx)
            .map(|answer| answer.unwrap_or(Err(CallError::SessionGone)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Answered calls are out of the map already; ids are not used twice while one is held.
        if !self.answer.is_terminated() {
            let id = u64::from(self.id);
            drop(self.shared.with(|live| live.pending.remove(id)));
        }
    }
}
