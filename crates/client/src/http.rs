//! HTTP over Unix sockets: pooled connections, streamed answers.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::http::request::Builder;
use hyper::{Request, Response as HttpResponse};
use szk_tools::{Call, Code, Done, Failure, Progress, Response};
use szk_wire::socket::{Sender, broken, connect, gone};
use szk_wire::{
    APPROVAL_HEADER, CLIENT_HEADER, Client, FILE_PATH, FOUND_HEADER, Found, IDENTITY_HEADER,
    INFO_PATH, Info, LONGEST_LINE, Line, OPERATION_PATH, Opened, UNTIL_HEADER, WITHIN_HEADER,
};

use crate::{approval, deadline, within};

/// How long a live keeper may take to identify itself. Busy is not dead: this only ends a wait.
pub(crate) const INFO_LIMIT: Duration = Duration::from_secs(5);

/// Most idle connections to keep to one keeper: as many as it is likely to need again at once.
const IDLE: usize = 16;

/// Idle connections, by socket. Each carries one call at a time.
pub(crate) struct Pool {
    // A std mutex: nothing awaits under it.
    idle: Mutex<HashMap<PathBuf, Vec<Sender>>>,
    // A std lock: nothing awaits under it.
    client: RwLock<Client>,
}

impl Pool {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            idle: Mutex::default(),
            client: RwLock::new(client),
        }
    }

    /// Who makes the calls.
    pub(crate) fn client(&self) -> Client {
        let client = self.client.read();
        client.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the client the name that its program gives itself, unless it was named already.
    pub(crate) fn called(&self, name: &str) {
        if !self.client().is_named() {
            let mut client = self.client.write().unwrap_or_else(PoisonError::into_inner);
            *client = client.clone().called(name);
        }
    }

    /// Calls an operation and passes on its progress.
    pub(crate) async fn operation(
        &self,
        socket: &Path,
        call: &Call,
        found: Found,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let request = Request::post(format!("{OPERATION_PATH}{}", call.spec().name))
            .header(FOUND_HEADER, found.word());
        let request = match approval::header() {
            Some(value) => request.header(APPROVAL_HEADER, value),
            None => request,
        };
        let request = match within::header() {
            Some(value) => request.header(WITHIN_HEADER, value),
            None => request,
        };
        let request = self.request(request, call.encode()?.to_string());
        let (sender, answer) = self.send(socket, request?).await?;
        let result = lines(answer, progress).await;
        if result.is_ok()
            || result
                .as_ref()
                .is_err_and(|failure| failure.code != Code::BrowserCrashed)
        {
            self.keep(socket, sender);
        }
        result
    }

    /// Tells the keeper that a person opens a file.
    pub(crate) async fn open_file(&self, socket: &Path, file: &Path) -> Opened {
        let body = serde_json::json!(file).to_string();
        let request = self.request(Request::post(FILE_PATH), body)?;
        let (sender, answer) = self.send(socket, request).await?;
        let body = answer.into_body().collect().await;
        let body = body.map_err(|error| broken(&error))?.to_bytes();
        self.keep(socket, sender);
        serde_json::from_slice(&body).unwrap_or_else(|error| {
            Err(Failure::internal(format!(
                "cannot read the keeper's answer: {error}"
            )))
        })
    }

    /// Asks a keeper for its [`Info`]; `None` if nothing answers.
    pub(crate) async fn info(&self, socket: &Path) -> Option<Info> {
        let asked = async {
            let request = self.request(Request::get(INFO_PATH), String::new()).ok()?;
            let (sender, answer) = self.send(socket, request).await.ok()?;
            let body = answer.into_body().collect().await.ok()?.to_bytes();
            self.keep(socket, sender);
            serde_json::from_slice(&body).ok()
        };
        tokio::time::timeout(INFO_LIMIT, asked).await.ok().flatten()
    }

    /// Sends a request. If a pooled connection was closed before the keeper read the request, as after a
    /// restart, tries another connection. A keeper that shuts down in order removes its socket first, and then
    /// answers every request that it has read; so a request without an answer had no effect.
    async fn send(
        &self,
        socket: &Path,
        request: Request<Full<Bytes>>,
    ) -> Result<(Sender, HttpResponse<Incoming>), Failure> {
        let (mut sender, kept) = self.sender(socket).await?;
        let mut answer = sender.send_request(request.clone()).await;
        if kept && answer.as_ref().is_err_and(is_undelivered) {
            sender = connect(socket).await.map_err(|error| gone(&error))?;
            answer = sender.send_request(request).await;
        }
        match answer {
            Ok(answer) => Ok((sender, answer)),
            Err(error) if is_undelivered(&error) || !socket.exists() => Err(gone(&error)),
            Err(error) => Err(broken(&error)),
        }
    }

    fn request(&self, builder: Builder, body: String) -> Result<Request<Full<Bytes>>, Failure> {
        let builder = match deadline::until() {
            Some(until) => builder.header(UNTIL_HEADER, until),
            None => builder,
        };
        let client = self.client();
        builder
            .header("host", "szk")
            .header("content-type", "application/json")
            .header(CLIENT_HEADER, label(&client))
            .header(IDENTITY_HEADER, client.header())
            .body(Full::from(body))
            .map_err(|error| Failure::internal(format!("cannot build the request: {error}")))
    }

    /// A connection, and whether it comes from the pool.
    async fn sender(&self, socket: &Path) -> Result<(Sender, bool), Failure> {
        while let Some(mut sender) = self.take(socket) {
            if sender.ready().await.is_ok() {
                return Ok((sender, true));
            }
        }
        connect(socket)
            .await
            .map(|sender| (sender, false))
            .map_err(|error| gone(&error))
    }

    fn take(&self, socket: &Path) -> Option<Sender> {
        self.idle().get_mut(socket)?.pop()
    }

    /// Keeps a connection for later, and forgets those to keepers that have exited: each clone has a socket of
    /// its own.
    fn keep(&self, socket: &Path, sender: Sender) {
        let mut idle = self.idle();
        idle.retain(|_, senders| {
            senders.retain(|sender| !sender.is_closed());
            !senders.is_empty()
        });
        if sender.is_closed() {
            return;
        }
        let senders = idle.entry(socket.to_owned()).or_default();
        if senders.len() < IDLE {
            senders.push(sender);
        }
    }

    fn idle(&self) -> MutexGuard<'_, HashMap<PathBuf, Vec<Sender>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's name as a header value.
pub(crate) fn label(who: &Client) -> String {
    who.name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() || c == ' ' {
                c
            } else {
                '?'
            }
        })
        .take(100)
        .collect()
}

/// Reads lines until the result.
async fn lines(
    answer: HttpResponse<Incoming>,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Response, Failure> {
    let mut body = answer.into_body();
    let mut text: Vec<u8> = Vec::new();
    let mut result = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| broken(&error))?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        // Searching only the new part keeps long lines linear.
        let mut searched = text.len();
        text.extend_from_slice(data);
        while let Some(end) = text[searched..].iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=searched + end).collect();
            searched = 0;
            match serde_json::from_slice(&line) {
                Ok(Line::Progress(step)) => progress(step),
                Ok(Line::Ok(response)) => result = Some(Ok(response)),
                Ok(Line::Error(failure)) => result = Some(Err(failure)),
                Ok(Line::Approval { failure, approval }) => {
                    result = Some(Err(Failure {
                        approval: Some(approval),
                        ..failure
                    }));
                }
                Err(error) => {
                    return Err(Failure::internal(format!(
                        "cannot read the keeper's answer: {error}"
                    ))
                    .effect(Done::Unknown)
                    .hint(
                        "it may run another version of szk: close the session and open it again",
                    ));
                }
            }
        }
        if text.len() > LONGEST_LINE {
            return Err(Failure::internal("the keeper's answer is too long").effect(Done::Unknown));
        }
    }
    result.unwrap_or_else(|| {
        Err(
            Failure::new(Code::BrowserCrashed, "the keeper exited before it answered")
                .hint("open the session again; `keeper.log` in the profile says why it exited")
                .effect(Done::Unknown),
        )
    })
}

/// Whether the keeper cannot have read the whole request, so that nothing was done: it was not written
/// completely, or the connection was reset, which means that a part was unread.
fn is_undelivered(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    let closed = cause.is_some_and(|cause: &io::Error| {
        matches!(
            cause.kind(),
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
        )
    });
    closed || error.is_canceled() || error.is_closed()
}

#[cfg(test)]
mod tests;
