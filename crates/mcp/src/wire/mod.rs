//! Newline-delimited JSON-RPC as rmcp's transport.
//!
//! rmcp's own transport skips lines that are not JSON, ends when a message comes too early, and
//! answers bad `params` with "method not found". Here every request gets an answer that helps to fix
//! it, and nothing a client sends ends the server.

pub(crate) mod decode;
mod ledger;
mod lifecycle;
mod lines;
mod skim;
mod surrogates;
mod writer;

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) use decode::Refusal;
use ledger::{BatchId, Ledger};
use lifecycle::{Admission, Lifecycle};
use lines::Line;

/// The server's end of the wire.
#[derive(Debug)]
pub(crate) struct Wire {
    lines: mpsc::Receiver<Line>,
    frames: mpsc::Sender<Vec<u8>>,
    /// Decoded messages that the service has not taken yet: a batch holds several.
    ready: VecDeque<ClientJsonRpcMessage>,
    /// Our own frames, waiting for space in `frames`.
    replies: VecDeque<Vec<u8>>,
    ledger: Ledger,
    lifecycle: Lifecycle,
    /// See [`Ends::closed`].
    closed: CancellationToken,
}

/// What the server's owner learns about its wire.
#[derive(Debug)]
pub(crate) struct Ends {
    /// The client closed its side and every message it sent was taken, or it stopped reading.
    pub(crate) closed: CancellationToken,
    /// Every frame was written, or never will be.
    pub(crate) written: CancellationToken,
}

/// The client stopped reading.
#[derive(Debug, thiserror::Error)]
#[error("the client closed its end")]
pub(crate) struct Gone;

impl Wire {
    /// A wire that reads `input` and writes `output`, each on its own thread.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(crate) fn over(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<(Self, Ends)> {
        let ends = Ends {
            closed: CancellationToken::new(),
            written: CancellationToken::new(),
        };
        let wire = Self {
            lines: lines::spawn(input)?,
            frames: writer::spawn(output, ends.closed.clone(), ends.written.clone())?,
            ready: VecDeque::new(),
            replies: VecDeque::new(),
            ledger: Ledger::default(),
            lifecycle: Lifecycle::default(),
            closed: ends.closed.clone(),
        };
        Ok((wire, ends))
    }

    fn take(&mut self, line: Line) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong(id) => {
                // The id of a request in flight belongs to that one.
                let id = id.filter(|id| !self.ledger.has(id));
                return self.refuse(&Refusal::too_long(id), None);
            }
        };
        match decode::line(&bytes) {
            Ok(None) => {}
            Ok(Some(Value::Array(items))) => self.take_batch(items),
            Ok(Some(value)) => self.take_one(value, None),
            Err(refusal) => self.refuse(&refusal, None),
        }
    }

    fn take_batch(&mut self, items: Vec<Value>) {
        if let Some(refusal) = self.lifecycle.refuse_batch(items.len()) {
            return self.refuse(&refusal, None);
        }
        let batch = self.ledger.begin();
        for item in items {
            self.take_one(item, Some(batch));
        }
        let frame = self.ledger.seal(batch);
        self.replies.extend(frame);
    }

    fn take_one(&mut self, value: Value, batch: Option<BatchId>) {
        let message = match decode::message(value) {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(refusal) => return self.refuse(&refusal, batch),
        };
        match self.lifecycle.admit(&message) {
            Admission::Admitted => {}
            Admission::Ignored => return,
            Admission::Refused(refusal) => return self.refuse(&refusal, batch),
        }
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.ledger.open(request.id.clone(), batch) {
                    return self.refuse(&Refusal::id_in_use(&request.id), batch);
                }
            }
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A cancelled request is never answered, so its batch must not wait for it.
                    let frame = self.ledger.cancel(id);
                    self.replies.extend(frame);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.ready.push_back(message);
    }

    fn refuse(&mut self, refusal: &Refusal, batch: Option<BatchId>) {
        tracing::debug!(?refusal, "refused what the client sent");
        match batch {
            Some(batch) => self.ledger.add(batch, refusal.frame()),
            None => self.replies.push_back(refusal.frame()),
        }
    }
}

impl Transport<RoleServer> for Wire {
    type Error = Gone;

    /// Passes a frame to the writer, in call order; an answer to a batch waits for its siblings.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Gone>> + Send + 'static {
        self.lifecycle.note(&message);
        let frame = decode::frame(&message);
        let frame = match answered(&message) {
            Some(id) => self.ledger.answer(id, frame),
            None => Some(frame),
        };
        let frames = self.frames.clone();
        async move {
            match frame {
                Some(frame) => frames.send(frame).await.map_err(|_| Gone),
                None => Ok(()),
            }
        }
    }

    /// The next message. May be dropped at any await without losing a message or a reply of our own.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while !self.replies.is_empty() {
                let Ok(room) = self.frames.reserve().await else {
                    break;
                };
                if let Some(frame) = self.replies.pop_front() {
                    room.send(frame);
                }
            }
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.frames.is_closed() {
                self.closed.cancel();
                return None;
            }
            match self.lines.recv().await {
                Some(line) => self.take(line),
                None => {
                    self.closed.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Gone> {
        // When the wire is dropped, the writer writes the rest and ends.
        Ok(())
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&rmcp::model::RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}
