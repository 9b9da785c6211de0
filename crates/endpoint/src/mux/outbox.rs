//! Messages that wait to be written to a client, bounded by bytes and by count.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{Sink, SinkExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message};

use super::end::End;
use crate::limits::Limits;

/// The sending end, which never waits.
pub(super) struct Outbox {
    sender: mpsc::UnboundedSender<Outgoing>,
    level: Arc<Level>,
    max_bytes: usize,
    max_messages: usize,
}

/// A queued message.
enum Outgoing {
    Text(String),
    /// The end, with a reason if there is one.
    Last(Option<CloseFrame>),
}

/// Its fill level.
#[derive(Default)]
struct Level {
    bytes: AtomicUsize,
    messages: AtomicUsize,
}

/// The writer's end.
pub(super) struct OutboxWriter {
    receiver: mpsc::UnboundedReceiver<Outgoing>,
    level: Arc<Level>,
}

pub(super) fn outbox(limits: &Limits) -> (Outbox, OutboxWriter) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let level = Arc::new(Level::default());
    let outgoing = OutboxWriter {
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
        outgoing,
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
        self.sender
            .send(Outgoing::Text(text))
            .map_err(|_| End::Left)
    }

    /// Ends the connection once everything before is written.
    pub(super) fn close(&self, reason: Option<CloseFrame>) {
        // The writer is gone: there is no one to tell.
        let _ = self.sender.send(Outgoing::Last(reason));
    }
}

impl OutboxWriter {
    /// Writes until the outbox is dropped, a close is written, or the socket fails.
    pub(super) async fn write<S>(mut self, mut sink: S)
    where
        S: Sink<Message, Error = tungstenite::Error> + Unpin,
    {
        while let Some(next) = self.receiver.recv().await {
            let text = match next {
                Outgoing::Text(text) => text,
                Outgoing::Last(reason) => {
                    if let Some(reason) = reason {
                        // The socket refuses this if the client closed first.
                        let _ = sink.send(Message::Close(Some(reason))).await;
                    }
                    break;
                }
            };
            let size = text.len();
            let fed = sink.feed(Message::text(text)).await;
            // Only waiting messages count; the socket's own buffer is small.
            self.level.bytes.fetch_sub(size, Ordering::Relaxed);
            self.level.messages.fetch_sub(1, Ordering::Relaxed);
            if fed.is_err() || self.receiver.is_empty() && sink.flush().await.is_err() {
                break;
            }
        }
        // Sends a close frame, or answers the client's.
        let _ = sink.close().await;
    }
}
