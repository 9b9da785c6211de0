//! An open request per session tells its keeper that this client is still there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use szk_wire::{AWAY_HEADER, CLIENT_HEADER, Client, IDENTITY_HEADER, PRESENCE_PATH, socket};
use tokio::task::JoinHandle;

use crate::http;

/// The open requests, by session; dropping this ends them.
#[derive(Default)]
pub(crate) struct Presences {
    // A std mutex: nothing awaits under it.
    held: Mutex<HashMap<String, OpenRequest>>,
}

/// One open request.
struct OpenRequest {
    socket: PathBuf,
    task: JoinHandle<()>,
    /// The client has not called for long: the request only keeps the session open.
    away: bool,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Presences {
    /// Makes sure that the keeper at `socket` knows about this client. Returns once it does.
    pub(crate) async fn hold(&self, session: &str, socket: &Path, who: &Client) {
        let here = |one: &OpenRequest| one.socket == socket && !one.task.is_finished() && !one.away;
        if self.lock().get(session).is_some_and(here) {
            return;
        }
        self.enter(session, socket, who, false).await;
    }

    /// Marks the client as away because it has made no call for a long time. Returns the sessions, each with
    /// the socket of its keeper, for [`Self::rest`]; a call that comes first brings the client back.
    pub(crate) fn go(&self) -> Vec<(String, PathBuf)> {
        let mut held = self.lock();
        let here = held.iter_mut().filter(|(_, one)| !one.away);
        here.map(|(session, one)| {
            one.away = true;
            (session.clone(), one.socket.clone())
        })
        .collect()
    }

    /// Tells the keeper at `socket` that the client is away.
    pub(crate) async fn rest(&self, session: &str, socket: &Path, who: &Client) {
        self.enter(session, socket, who, true).await;
    }

    /// Leaves a session; the next call there comes back.
    pub(crate) fn leave(&self, session: &str) {
        self.lock().remove(session);
    }

    async fn enter(&self, session: &str, socket: &Path, who: &Client, away: bool) {
        // If the keeper does not even accept this, the call itself reports it.
        let entered = tokio::time::timeout(http::INFO_LIMIT, open(socket, who, away));
        let Ok(Some(task)) = entered.await else {
            tracing::debug!(session, "the keeper does not answer");
            return;
        };
        let socket = socket.to_owned();
        let new = OpenRequest { socket, task, away };
        let mut held = self.lock();
        // Whoever has come back or left meanwhile is not away.
        if !away || held.get(session).is_some_and(|one| one.away) {
            held.insert(session.to_owned(), new);
        }
        // Their keepers have exited.
        held.retain(|name, one| name == session || !one.task.is_finished());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenRequest>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the request; the task holds it until the keeper exits or the task is aborted.
async fn open(at: &Path, who: &Client, away: bool) -> Option<JoinHandle<()>> {
    let mut sender = socket::connect(at).await.ok()?;
    let mut request = Request::get(PRESENCE_PATH)
        .header("host", "szk")
        .header(CLIENT_HEADER, http::label(who))
        .header(IDENTITY_HEADER, who.header());
    if away {
        request = request.header(AWAY_HEADER, "1");
    }
    let request = request.body(Full::<Bytes>::default()).ok()?;
    let answer = sender.send_request(request).await.ok()?;
    Some(tokio::spawn(async move {
        // There is no content.
        let _sender = sender;
        let mut body = answer.into_body();
        while let Some(Ok(_)) = body.frame().await {}
    }))
}
