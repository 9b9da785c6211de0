//! Connects to a keeper's socket, for clients and for the keeper of a clone.

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use szk_tools::{Code, Done, Failure};
use tokio::net::UnixStream;

use crate::STATE_PATH;

/// How long a keeper may take to capture and send its whole state.
const STATE_LIMIT: Duration = Duration::from_secs(30);

/// The sending half; one request at a time.
pub type Sender = SendRequest<Full<Bytes>>;

/// Connects to a keeper.
///
/// # Errors
/// Nothing listens on the socket.
pub async fn connect(socket: &Path) -> io::Result<Sender> {
    let stream = UnixStream::connect(socket).await?;
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a keeper broke");
        }
    });
    Ok(sender)
}

/// The whole current state of an open session, from its keeper. It contains secrets.
///
/// # Errors
/// `SESSION_BUSY` if the keeper does not answer.
pub async fn state_of(socket: &Path) -> Result<Vec<u8>, Failure> {
    tokio::time::timeout(STATE_LIMIT, ask_state(socket))
        .await
        .unwrap_or_else(|_| {
            let millis = STATE_LIMIT.as_millis();
            Err(Failure::new(
                Code::Timeout,
                format!("the session's keeper did not report its state within {millis} ms"),
            )
            .hint("check the session with `szk list`")
            .retryable())
        })
}

async fn ask_state(socket: &Path) -> Result<Vec<u8>, Failure> {
    let mut sender = connect(socket).await.map_err(|error| gone(&error))?;
    let request = Request::get(STATE_PATH)
        .header("host", "szk")
        .body(Full::<Bytes>::default())
        .map_err(|error| Failure::internal(format!("cannot build the request: {error}")))?;
    let answer = sender
        .send_request(request)
        .await
        .map_err(|error| broken(&error))?;
    let body = answer.into_body().collect().await;
    Ok(body.map_err(|error| broken(&error))?.to_bytes().to_vec())
}

/// The failure for a keeper that could not be reached: nothing was done.
pub fn gone(error: &dyn Error) -> Failure {
    Failure::new(
        Code::SessionBusy,
        format!("cannot reach the session's keeper: {error}"),
    )
    .hint("open the session again")
    .retryable()
}

/// The failure for a keeper that went away before it answered.
pub fn broken(error: &hyper::Error) -> Failure {
    Failure::new(
        Code::BrowserCrashed,
        format!("the connection to the keeper broke: {error}"),
    )
    .hint("open the session again; `keeper.log` in the profile says why it exited")
    .effect(Done::Unknown)
}
