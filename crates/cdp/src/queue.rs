//! A FIFO bounded by count and by bytes, whose sender never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

/// A queue for at most `items` items of at most `bytes` bytes in total.
///
/// An empty queue takes one item of any size: a single large message is not an overflow.
pub(crate) fn queue<T>(items: usize, bytes: usize) -> (Push<T>, Pull<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level::default());
    let push = Push {
        sender,
        level: level.clone(),
        items,
        bytes,
    };
    (push, Pull { receiver, level })
}

/// Why an item was refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PushError {
    Full,
    /// The receiver was dropped.
    Closed,
}

/// The sending end. All pushes to one queue happen under the connection's lock, so checking the level
/// and raising it need not be one step.
pub(crate) struct Push<T> {
    sender: mpsc::UnboundedSender<(T, usize)>,
    level: Arc<Level>,
    items: usize,
    bytes: usize,
}

impl<T> Push<T> {
    pub(crate) fn push(&self, item: T, weight: usize) -> Result<(), PushError> {
        let items = self.level.items.load(Ordering::Acquire);
        let bytes = self.level.bytes.load(Ordering::Acquire);
        let fits = items < self.items && bytes.saturating_add(weight) <= self.bytes;
        if items > 0 && !fits {
            return Err(PushError::Full);
        }
        // Raise it before sending: the receiver may lower it at once.
        self.level.items.fetch_add(1, Ordering::AcqRel);
        self.level.bytes.fetch_add(weight, Ordering::AcqRel);
        self.sender
            .send((item, weight))
            .map_err(|_| PushError::Closed)
    }
}

/// The receiving end.
pub(crate) struct Pull<T> {
    receiver: mpsc::UnboundedReceiver<(T, usize)>,
    level: Arc<Level>,
}

impl<T> Pull<T> {
    /// The next item; `None` once the sender is gone and the queue is empty.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        let (item, weight) = self.receiver.recv().await?;
        self.lower(weight);
        Some(item)
    }

    /// The next item if one is waiting.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        let (item, weight) = self.receiver.try_recv().ok()?;
        self.lower(weight);
        Some(item)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.receiver.is_empty()
    }

    fn lower(&self, weight: usize) {
        self.level.bytes.fetch_sub(weight, Ordering::AcqRel);
        self.level.items.fetch_sub(1, Ordering::AcqRel);
    }
}

#[derive(Default)]
struct Level {
    items: AtomicUsize,
    bytes: AtomicUsize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_items_and_bytes_and_forgets_what_was_taken() {
        let (push, mut pull) = queue(2, 10);
        assert_eq!(push.push('a', 6), Ok(()));
        assert_eq!(push.push('b', 6), Err(PushError::Full));
        assert_eq!(push.push('b', 4), Ok(()));
        assert_eq!(push.push('c', 0), Err(PushError::Full));
        assert_eq!(pull.try_recv(), Some('a'));
        assert_eq!(push.push('c', 6), Ok(()));
        assert!(!pull.is_empty());
    }

    #[test]
    fn an_empty_queue_takes_one_item_of_any_size() {
        let (push, mut pull) = queue(8, 10);
        assert_eq!(push.push('a', 1000), Ok(()));
        assert_eq!(push.push('b', 1), Err(PushError::Full));
        assert_eq!(pull.try_recv(), Some('a'));
        drop(pull);
        assert_eq!(push.push('b', 1), Err(PushError::Closed));
    }
}
