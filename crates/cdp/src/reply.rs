//! The pending answer to a command that was posted.

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

/// An answer of which only the arrival matters.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(from = "IgnoredAny")]
pub struct Done;

impl From<IgnoredAny> for Done {
    fn from(_: IgnoredAny) -> Self {
        Self
    }
}

type Answer = Result<Box<RawValue>, CallError>;

/// A future of the answer. Dropping it forgets the call: what was written stays written, and the answer
/// is discarded when it comes.
#[must_use = "drop it explicitly if the answer does not matter"]
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

impl<T: Send + 'static> Reply<T> {
    /// For commands that make something in the browser: if the reply is dropped before the answer has come,
    /// `undo` gets the answer then. A call without one ends with the connection.
    pub fn or_undo<F>(self, undo: F) -> Undoable<T, F>
    where
        F: FnOnce(T) + Send + 'static,
    {
        Undoable {
            waits: Some((self, undo)),
        }
    }
}

/// A [`Reply`] whose answer does not get lost; see [`Reply::or_undo`].
#[must_use = "dropping it undoes the command"]
pub struct Undoable<T: Send + 'static, F: FnOnce(T) + Send + 'static> {
    waits: Option<(Reply<T>, F)>,
}

// Nothing in it is pinned.
impl<T: Send + 'static, F: FnOnce(T) + Send + 'static> Unpin for Undoable<T, F> {}

impl<T: Send + 'static, F: FnOnce(T) + Send + 'static> Future for Undoable<T, F> {
    type Output = Result<T, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some((reply, _)) = &mut this.waits else {
            return Poll::Ready(Err(CallError::NotSent));
        };
        let answer = ready!(Pin::new(reply).poll(cx));
        this.waits = None;
        Poll::Ready(answer)
    }
}

impl<T: Send + 'static, F: FnOnce(T) + Send + 'static> Drop for Undoable<T, F> {
    fn drop(&mut self) {
        // Without a runtime the process ends, and the browser with it.
        if let Some((reply, undo)) = self.waits.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                if let Ok(answer) = reply.await {
                    undo(answer);
                }
            });
        }
    }
}

impl<T> Future for Reply<T> {
    type Output = Result<T, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let answer = match &mut this.waiting {
            Ok(waiting) => ready!(waiting.poll(cx)),
            // Polled again after it was ready; a future may return anything then.
            Err(error) => Err(error.take().unwrap_or(CallError::NotSent)),
        };
        this.waiting = Err(None);
        Poll::Ready(match answer {
            Ok(result) => (this.read)(&this.method, result),
            // The reader does not know the method of an unreadable answer.
            Err(CallError::Unreadable { reason, .. }) => Err(CallError::Unreadable {
                method: this.method.to_string(),
                reason,
            }),
            Err(error) => Err(error),
        })
    }
}

/// A call on the wire. Dropping this removes its entry from the map, however the call ends.
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
        // Every entry is answered when it is removed; a silent end would mean that the session ended.
        Pin::new(&mut self.answer)
            .poll(cx)
            .map(|answer| answer.unwrap_or(Err(CallError::SessionGone)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // Answered calls are already out of the map; ids are not reused while one is held.
        if !self.answer.is_terminated() {
            let id = u64::from(self.id);
            drop(self.shared.with(|live| live.pending.remove(id)));
        }
    }
}
