//! The two ways to receive the default owner's events.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::Event;
use crate::queue::Pull;

/// The supervisor's own queue: complete and in wire order, or else the connection closes.
pub struct Events {
    queue: Pull<Arc<Event>>,
}

impl Events {
    pub(crate) fn new(queue: Pull<Arc<Event>>) -> Self {
        Self { queue }
    }

    /// The next event; `None` once the connection has ended and all events are taken.
    pub async fn recv(&mut self) -> Option<Arc<Event>> {
        self.queue.recv().await
    }

    /// The next event if one is waiting.
    pub fn try_recv(&mut self) -> Option<Arc<Event>> {
        self.queue.try_recv()
    }
}

/// A copy of the stream for an observer that may fall behind.
pub struct Subscription {
    receiver: broadcast::Receiver<Arc<Event>>,
}

/// Why there is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionError {
    /// This many events were lost, because the subscriber was slower than the browser. The next
    /// call continues with the oldest that is left.
    #[error("{0} events were missed")]
    Lagged(u64),
    /// The connection ended.
    #[error("the connection is closed")]
    Closed,
}

impl Subscription {
    pub(crate) fn new(receiver: broadcast::Receiver<Arc<Event>>) -> Self {
        Self { receiver }
    }

    /// The next event.
    pub async fn recv(&mut self) -> Result<Arc<Event>, SubscriptionError> {
        self.receiver.recv().await.map_err(|error| match error {
            RecvError::Lagged(missed) => SubscriptionError::Lagged(missed),
            RecvError::Closed => SubscriptionError::Closed,
        })
    }

    /// The next event if one is waiting, `None` otherwise.
    pub fn try_recv(&mut self) -> Result<Option<Arc<Event>>, SubscriptionError> {
        match self.receiver.try_recv() {
            Ok(event) => Ok(Some(event)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Lagged(missed)) => Err(SubscriptionError::Lagged(missed)),
            Err(TryRecvError::Closed) => Err(SubscriptionError::Closed),
        }
    }
}
