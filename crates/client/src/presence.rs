//! An open request per session tells its keeper that this client is still there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use szk_wire::{CLIENT_HEADER, Client, IDENTITY_HEADER, PRESENCE_PATH, socket};
use tokio::task::JoinHandle;

use crate::http;

/// The open requests, by session; dropping this ends them.
#[derive(Default)]
pub(crate) struct Presences {
    // A std mutex: nothing awaits under it.
    held: Mutex<HashMap<String, (PathBuf, JoinHandle<()>)>>,
}

impl Presences {
    /// Makes sure that the keeper at `socket` knows about this client. Returns once it does.
    pub(crate) async fn hold(&self, session: &str, socket: &Path, who: &Client) {
        {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if held
                .get(session)
                .is_some_and(|(known, task)| known == socket && !task.is_finished())
            {
                return;
            }
        }
        // If the keeper does not even accept this, the call itself reports it.
        let entered = tokio::time::timeout(http::INFO_LIMIT, self.enter(session, socket, who));
        if entered.await.is_err() {
            tracing::debug!(session, "the keeper does not answer");
        }
    }

    async fn enter(&self, session: &str, at: &Path, who: &Client) {
        let Ok(mut sender) = socket::connect(at).await else {
            return;
        };
        let request = Request::get(PRESENCE_PATH)
            .header("host", "szk")
            .header(CLIENT_HEADER, http::label(who))
            .header(IDENTITY_HEADER, who.header())
            .body(Full::<Bytes>::default());
        let Ok(request) = request else { return };
        let Ok(answer) = sender.send_request(request).await else {
            return;
        };
        let task = tokio::spawn(async move {
            // Held until the keeper exits or this task is aborted; there is no content.
            let _sender = sender;
            let mut body = answer.into_body();
            while let Some(Ok(_)) = body.frame().await {}
        });
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, old)) = held.insert(session.to_owned(), (at.to_owned(), task)) {
            old.abort();
        }
    }
}

impl Presences {
    /// Leaves a session; the next call there comes back.
    pub(crate) fn leave(&self, session: &str) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, task)) = held.remove(session) {
            task.abort();
        }
    }
}

impl Drop for Presences {
    fn drop(&mut self) {
        for (_, task) in self
            .held
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
        {
            task.abort();
        }
    }
}
