//! HTTP over Unix sockets: kept connections, streamed answers.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response as HttpResponse};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use szk_tools::{Code, Done, Failure, Progress, Response};
use tokio::net::UnixStream;

use crate::wire::{CLIENT_HEADER, FILE_PATH, Info, LONGEST_LINE, Line, Opened, UNTIL_HEADER};
use crate::{Who, deadline};

/// How long a live keeper may take to say who it is. Busy is not dead: this only ends a wait.
pub(crate) const INFO_LIMIT: Duration = Duration::from_secs(5);

/// How long a keeper may take to capture and send its whole state.
const STATE_LIMIT: Duration = Duration::from_secs(30);

type Sender = SendRequest<Full<Bytes>>;

/// Connections that are idle, by socket. Each carries one call at a time.
pub(crate) struct Pool {
    // A std mutex: nothing awaits under it.
    idle: Mutex<HashMap<PathBuf, Vec<Sender>>>,
    client: String,
}

impl Pool {
    pub(crate) fn new(who: &Who) -> Self {
        Self {
            idle: Mutex::default(),
            client: label(who),
        }
    }

    /// Calls an operation and passes its progress on.
    pub(crate) async fn operation(
        &self,
        socket: &Path,
        name: &str,
        input: &Value,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Response, Failure> {
        let path = format!("/v1/op/{name}");
        let body = Bytes::from(input.to_string());
        let (sender, answer) = self.send(socket, Method::POST, &path, body).await?;
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

    /// Says that a person opens a file.
    pub(crate) async fn open_file(&self, socket: &Path, file: &Path) -> Opened {
        let body = Bytes::from(serde_json::json!(file).to_string());
        let sent = self.send(socket, Method::POST, FILE_PATH, body);
        let (sender, answer) = sent.await?;
        let body = answer.into_body().collect().await;
        let body = body.map_err(|error| broken(&error))?.to_bytes();
        self.keep(socket, sender);
        serde_json::from_slice(&body).unwrap_or_else(|error| {
            Err(Failure::internal(format!(
                "the keeper's answer is not understood: {error}"
            )))
        })
    }

    /// Asks a keeper who it is; `None` when nobody answers.
    pub(crate) async fn info(&self, socket: &Path) -> Option<Info> {
        let asked = async {
            let sent = self.send(socket, Method::GET, "/v1/info", Bytes::new());
            let (sender, answer) = sent.await.ok()?;
            let body = answer.into_body().collect().await.ok()?.to_bytes();
            self.keep(socket, sender);
            serde_json::from_slice(&body).ok()
        };
        tokio::time::timeout(INFO_LIMIT, asked).await.ok().flatten()
    }

    /// Sends a request, on another connection if the one that was kept was closed before the keeper had
    /// read it: that of one that ended meanwhile.
    async fn send(
        &self,
        socket: &Path,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(Sender, HttpResponse<Incoming>), Failure> {
        let (mut sender, kept) = self.sender(socket).await?;
        let request = self.request(method.clone(), path, body.clone())?;
        let mut answer = sender.send_request(request).await;
        if kept && answer.as_ref().is_err_and(is_undelivered) {
            sender = connect(socket).await.map_err(|error| gone(&error))?;
            let request = self.request(method, path, body)?;
            answer = sender.send_request(request).await;
        }
        match answer {
            Ok(answer) => Ok((sender, answer)),
            Err(error) if is_undelivered(&error) => Err(gone(&error)),
            Err(error) => Err(broken(&error)),
        }
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>, Failure> {
        let mut builder = Request::builder();
        if let Some(until) = deadline::until() {
            builder = builder.header(UNTIL_HEADER, until);
        }
        builder
            .method(method)
            .uri(path)
            .header("host", "szk")
            .header("content-type", "application/json")
            .header(CLIENT_HEADER, &self.client)
            .body(Full::new(body))
            .map_err(|error| Failure::internal(format!("a request could not be made: {error}")))
    }

    /// A connection, and whether it was kept from an earlier call.
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
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_mut(socket)?
            .pop()
    }

    fn keep(&self, socket: &Path, sender: Sender) {
        if !sender.is_closed() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(socket.to_owned())
                .or_default()
                .push(sender);
        }
    }
}

/// The client's name as header text.
pub(crate) fn label(who: &Who) -> String {
    let text = match &who.detail {
        Some(detail) => format!("{} ({detail})", who.name),
        None => who.name.clone(),
    };
    text.chars()
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

pub(crate) async fn connect(socket: &Path) -> io::Result<Sender> {
    let stream = UnixStream::connect(socket).await?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a keeper ended");
        }
    });
    Ok(sender)
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
        // Searching only what is new keeps long lines linear.
        let mut searched = text.len();
        text.extend_from_slice(data);
        while let Some(end) = text[searched..].iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=searched + end).collect();
            searched = 0;
            match serde_json::from_slice(&line) {
                Ok(Line::Progress(step)) => progress(step),
                Ok(Line::Ok(response)) => result = Some(Ok(response)),
                Ok(Line::Error(failure)) => result = Some(Err(failure)),
                Err(error) => {
                    return Err(Failure::internal(format!(
                        "the keeper's answer is not understood: {error}"
                    ))
                    .effect(Done::Unknown)
                    .hint(
                        "it may be of another szk version: close the session and open it again",
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
            Failure::new(Code::BrowserCrashed, "the keeper ended before it answered")
                .hint("open the session again; `keeper.log` in the profile says why it ended")
                .effect(Done::Unknown),
        )
    })
}

/// The whole saved state of a session that is open, as its keeper knows it now. It holds secrets.
///
/// # Errors
/// `SESSION_BUSY` when the keeper does not answer.
pub async fn state_of(socket: &Path) -> Result<Vec<u8>, Failure> {
    tokio::time::timeout(STATE_LIMIT, ask_state(socket))
        .await
        .unwrap_or_else(|_| {
            let millis = STATE_LIMIT.as_millis();
            Err(Failure::new(
                Code::Timeout,
                format!("the session's keeper did not give its state within {millis} ms"),
            )
            .hint("`szk list` shows how the session is")
            .retryable())
        })
}

async fn ask_state(socket: &Path) -> Result<Vec<u8>, Failure> {
    let mut sender = connect(socket).await.map_err(|error| gone(&error))?;
    let request = Request::get("/v1/state")
        .header("host", "szk")
        .body(Full::<Bytes>::default())
        .map_err(|error| Failure::internal(format!("a request could not be made: {error}")))?;
    let answer = sender
        .send_request(request)
        .await
        .map_err(|error| broken(&error))?;
    let bytes = answer
        .into_body()
        .collect()
        .await
        .map_err(|error| broken(&error))?
        .to_bytes();
    Ok(bytes.to_vec())
}

/// Whether the keeper cannot have read the whole request, so that nothing was done: it was not written to
/// its end, or the connection was closed with a part of it unread, of which a reset tells.
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

fn gone(error: &dyn Error) -> Failure {
    Failure::new(
        Code::SessionBusy,
        format!("the session's keeper cannot be reached: {error}"),
    )
    .hint("open the session again")
    .retryable()
}

fn broken(error: &hyper::Error) -> Failure {
    Failure::new(
        Code::BrowserCrashed,
        format!("the connection to the keeper broke: {error}"),
    )
    .hint("open the session again; `keeper.log` in the profile says why it ended")
    .effect(Done::Unknown)
}

#[cfg(test)]
mod tests;
