//! Follows what happens in a session.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Incoming;
use szk_tools::Failure;
use szk_wire::events::{AFTER, EVENTS_PATH, EventLine};
use szk_wire::socket::{self, Sender, broken, gone};

use crate::{Client, deadline, keeper, names};

/// How long a keeper that starts or closes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest line of the stream, in bytes: addresses and texts in events are cut.
const LONGEST: usize = 1 << 20;

/// The events of a session, until it closes. Following does not count as a client: it keeps no session
/// open.
#[derive(Debug)]
pub struct Events {
    session: String,
    body: Incoming,
    text: Vec<u8>,
    /// The connection.
    _sender: Sender,
}

impl Client {
    /// Follows a session that is open: `named`, else the only one. `after` is the number of the last
    /// event that the caller has; without one, only new events come.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND` if it is not open, `SESSION_BUSY` if its keeper does not answer.
    pub async fn events(&self, named: Option<&str>, after: Option<u64>) -> Result<Events, Failure> {
        if let Some(name) = named {
            names::must_be_visible(self.store(), name)?;
        }
        let session = names::of_open(self, named).await?;
        let profile = self.store().profile(&session);
        let Some(at) = keeper::find(self, &profile, PATIENCE).await else {
            if profile.is_live() {
                return Err(deadline::unanswering(&profile));
            }
            return Err(match profile.exists() {
                true => names::not_open(&session, true),
                false => names::unknown(self.store(), &session),
            });
        };
        let (sender, body) = follow(&at, after).await?;
        Ok(Events {
            session: session.to_string(),
            body,
            text: Vec::new(),
            _sender: sender,
        })
    }
}

impl Events {
    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The next line; `None` once the session is closed. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<EventLine> {
        loop {
            if let Some(end) = self.text.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.text.drain(..=end).collect();
                match serde_json::from_slice(&line) {
                    Ok(told) => return Some(told),
                    Err(error) => {
                        tracing::warn!(%error, "cannot read a line of the event stream");
                        continue;
                    }
                }
            }
            if self.text.len() > LONGEST {
                return None;
            }
            let frame = self.body.frame().await?.ok()?;
            if let Some(data) = frame.data_ref() {
                self.text.extend_from_slice(data);
            }
        }
    }

    /// The same as a stream.
    pub fn into_stream(self) -> impl Stream<Item = EventLine> + Send {
        stream::unfold(self, |mut events| async move {
            let told = events.next().await?;
            Some((told, events))
        })
    }
}

async fn follow(at: &Path, after: Option<u64>) -> Result<(Sender, Incoming), Failure> {
    let mut sender = socket::connect(at).await.map_err(|error| gone(&error))?;
    let path = match after {
        Some(after) => format!("{EVENTS_PATH}?{AFTER}={after}"),
        None => EVENTS_PATH.to_owned(),
    };
    let request = Request::get(path)
        .header("host", "szk")
        .body(Full::<Bytes>::default())
        .map_err(|error| Failure::internal(format!("cannot build the request: {error}")))?;
    let answer = sender.send_request(request).await;
    let answer = answer.map_err(|error| broken(&error))?;
    if !answer.status().is_success() {
        return Err(Failure::internal("the keeper has no event stream")
            .hint("it may run another version of szk: close the session and open it again"));
    }
    Ok((sender, answer.into_body()))
}
