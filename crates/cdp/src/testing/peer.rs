//! The browser's end of the pipe.

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::sync::{mpsc, watch};

use super::answer::{Answer, Call, Step, event, reply};
use super::script::Script;
use crate::framing::{self, Frames};
use crate::protocol::target::{EventAttachedToTarget, EventDetachedFromTarget};

/// Sends what a test wants, and records what it receives. After it is dropped the peer still answers;
/// [`Peer::close`] ends it.
pub struct Peer {
    say: Speaker,
    heard: watch::Receiver<Heard>,
}

/// What has been received so far.
#[derive(Default)]
struct Heard {
    calls: Vec<Call>,
    ended: bool,
}

enum Say {
    Bytes(Vec<u8>),
    Close,
}

/// Queues something to send. Unbounded: a script is as short as its test.
#[derive(Clone)]
struct Speaker(mpsc::UnboundedSender<Say>);

impl Speaker {
    fn send(&self, say: Say) {
        // No one listens any more; the test notices that something is missing.
        drop(self.0.send(say));
    }

    fn json(&self, message: &Value) {
        self.send(Say::Bytes(framing::end(message.to_string().into_bytes())));
    }

    fn answer(&self, call: &Call, answer: Answer) {
        for step in answer.steps {
            match step {
                Step::Result(result) => self.json(&reply(call, "result", result)),
                Step::Error { code, message } => {
                    self.json(&reply(
                        call,
                        "error",
                        json!({"code": code, "message": message}),
                    ));
                }
                Step::Message(message) => self.json(&message),
                Step::Raw(bytes) => self.send(Say::Bytes(bytes)),
                Step::Close => self.send(Say::Close),
            }
        }
    }
}

pub(super) fn start(reader: DuplexStream, writer: DuplexStream, script: Script) -> Peer {
    let (say, said) = mpsc::unbounded_channel();
    let say = Speaker(say);
    let (tell, heard) = watch::channel(Heard::default());
    tokio::spawn(speak(writer, said));
    tokio::spawn(listen(reader, script, say.clone(), tell));
    Peer { say, heard }
}

impl Peer {
    /// Emits an event; `None` is the root session.
    pub fn event(&self, session: Option<&str>, method: &str, params: Value) {
        self.say.json(&event(session, method, params));
    }

    /// Emits `Target.attachedToTarget` on `parent` for a new session on a target of `kind`, whose target
    /// id is `T-` followed by the session's id.
    pub fn attach(&self, parent: Option<&str>, session: &str, kind: &str) {
        let info = json!({"targetId": format!("T-{session}"), "type": kind, "title": "", "url": "",
            "attached": true, "canAccessOpener": false});
        let params = json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": false});
        self.event(parent, EventAttachedToTarget::IDENTIFIER, params);
    }

    /// Emits `Target.detachedFromTarget` on `parent`.
    pub fn detach(&self, parent: Option<&str>, session: &str) {
        let params = json!({"sessionId": session, "targetId": format!("T-{session}")});
        self.event(parent, EventDetachedFromTarget::IDENTIFIER, params);
    }

    /// Answers a call that the script left unanswered.
    pub fn reply(&self, call: &Call, answer: impl Into<Answer>) {
        self.say.answer(call, answer.into());
    }

    /// Writes raw bytes: garbage, or half a message.
    pub fn raw(&self, bytes: impl Into<Vec<u8>>) {
        self.say.send(Say::Bytes(bytes.into()));
    }

    /// Closes both directions, after everything queued before.
    pub fn close(&self) {
        self.say.send(Say::Close);
    }

    /// The calls received so far, in wire order.
    pub fn calls(&self) -> Vec<Call> {
        self.heard.borrow().calls.clone()
    }

    /// The methods received so far, in wire order.
    pub fn methods(&self) -> Vec<String> {
        let heard = self.heard.borrow();
        heard.calls.iter().map(|call| call.method.clone()).collect()
    }

    /// Waits for the `nth` call of a method, counted from 1; `None` if the connection ends before.
    pub async fn call(&self, method: &str, nth: usize) -> Option<Call> {
        let find = |heard: &Heard| {
            let mut calls = heard.calls.iter().filter(|call| call.method == method);
            calls.nth(nth.saturating_sub(1)).cloned()
        };
        let mut heard = self.heard.clone();
        let settled = heard.wait_for(|heard| heard.ended || find(heard).is_some());
        settled.await.ok().and_then(|heard| find(&heard))
    }

    /// Waits until the other side has closed its writing end, as Chromium would before exiting.
    pub async fn ended(&self) {
        let mut heard = self.heard.clone();
        // A dropped sender means that the listening task is over, which is the same.
        drop(heard.wait_for(|heard| heard.ended).await);
    }
}

async fn listen(
    reader: impl AsyncRead + Unpin,
    mut script: Script,
    say: Speaker,
    tell: watch::Sender<Heard>,
) {
    let mut frames = Frames::with_limit(reader, framing::LIMIT);
    loop {
        let frame = tokio::select! {
            // Ends when the connection closes its writing end.
            frame = frames.next(), if !script.is_deaf() => frame,
            // Ends when the peer is closed: a browser that exits stops reading, too.
            () = say.0.closed() => break,
        };
        let Ok(Some(frame)) = frame else {
            break;
        };
        let Ok(call) = serde_json::from_slice::<Call>(&frame) else {
            tracing::error!("the connection wrote something that is not a command");
            break;
        };
        let answer = script.react(&call);
        tell.send_modify(|heard| heard.calls.push(call.clone()));
        say.answer(&call, answer);
    }
    tell.send_modify(|heard| heard.ended = true);
}

async fn speak(mut writer: impl AsyncWrite + Unpin, mut said: mpsc::UnboundedReceiver<Say>) {
    while let Some(Say::Bytes(bytes)) = said.recv().await {
        if writer.write_all(&bytes).await.is_err() {
            return;
        }
    }
}
