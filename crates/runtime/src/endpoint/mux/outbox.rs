//! What waits to be written to a client, bounded by bytes and by messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{Sink, SinkExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message};

use super::end::End;
use crate::endpoint::limits::Limits;

/// The end that never waits.
pub(super) struct Outbox {
    sender: mpsc::UnboundedSender<Message>,
    level: Arc<Level>,
    max_bytes: usize,
    max_messages: usize,
}

/// How full it is.
#[derive(Default)]
struct Level {
    bytes: AtomicUsize,
    messages: AtomicUsize,
}

/// The writer's end.
pub(super) struct Letters {
    receiver: mpsc::UnboundedReceiver<Message>,
    level: Arc<Level>,
}

pub(super) fn outbox(limits: &Limits) -> (Outbox, Letters) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level::default());
    let letters = Letters {
        receiver,
        level: Arc::clone(&level),
    };
    let (max_bytes, max_messages) = (limits.outgoing_bytes, limits.outgoing_messages);
    (
        Outbox {
            sender,
            level,
            max_bytes,
            max_messages,
        },
        letters,
    )
}

impl Outbox {
    /// Queues a message. An empty outbox takes one of any size.
    pub(super) fn push(&self, text: String) -> Result<(), End> {
        let bytes = self.level.bytes.fetch_add(text.len(), Ordering::Relaxed);
        let messages = self.level.messages.fetch_add(1, Ordering::Relaxed);
        let full =
            messages >= self.max_messages || (messages > 0 && bytes + text.len() > self.max_bytes);
        if full {
            return Err(End::Slow);
        }
        self.sender.send(Message::text(text)).map_err(|_| End::Left)
    }

    /// Queues the last message, with a reason where there is one to tell.
    pub(super) fn close(&self, reason: Option<CloseFrame>) {
        // A writer that is gone has nobody to tell.
        let _ = self.sender.send(Message::Close(reason));
    }
}

impl Letters {
    /// Writes until the outbox is dropped, a close is written, or the socket fails.
    pub(super) async fn write<S>(mut self, mut sink: S)
    where
        S: Sink<Message, Error = tungstenite::Error> + Unpin,
    {
        while let Some(message) = self.receiver.recv().await {
            let (size, last) = (message.len(), message.is_close());
            // Only what waits is counted, and the socket's own buffer is small.
            let fed = sink.feed(message).await;
            self.level
                .bytes
                .fetch_sub(if last { 0 } else { size }, Ordering::Relaxed);
            self.level
                .messages
                .fetch_sub(usize::from(!last), Ordering::Relaxed);
            if fed.is_err() || last {
                break;
            }
            if self.receiver.is_empty() && sink.flush().await.is_err() {
                break;
            }
        }
        // Says goodbye, or finishes the goodbye that the client began.
        let _ = sink.close().await;
    }
}
