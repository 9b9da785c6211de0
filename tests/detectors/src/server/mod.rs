//! An HTTP/1.1 server on this machine that serves the pages, and keeps what they and their requests say.
//!
//! It is written by hand because the order and spelling of request headers are among the things that
//! are compared, which servers made for other purposes do not keep.

mod connection;
mod route;
mod runs;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::pages::Suite;
use crate::report::Report;
use runs::Runs;

/// The server could not be started.
#[derive(Debug, thiserror::Error)]
#[error("no port of this machine could be listened on: {0}")]
pub struct ServerError(#[from] io::Error);

/// A browser did not report in time.
#[derive(Debug, thiserror::Error)]
#[error("`{mode}` did not finish within {limit:?}; it reported from: {}", reported.join(", "))]
pub struct Unfinished {
    /// The browser.
    pub mode: String,
    /// What was waited for.
    pub limit: Duration,
    /// Realms that did report.
    pub reported: Vec<String>,
}

/// Serves until it is dropped.
pub struct Server {
    address: SocketAddr,
    runs: Arc<Runs>,
    listening: Option<JoinHandle<()>>,
}

/// One browser's visit.
pub struct Run {
    id: String,
    address: SocketAddr,
    runs: Arc<Runs>,
}

impl Server {
    /// Listens on a free port of the loopback interface.
    ///
    /// # Errors
    /// [`ServerError`] when there is none.
    pub fn start() -> Result<Self, ServerError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let runs = Arc::new(Runs::default());
        let shared = Arc::clone(&runs);
        let listening = thread::Builder::new()
            .name("detectors".into())
            .spawn(move || listen(&listener, &shared))?;
        Ok(Self {
            address,
            runs,
            listening: Some(listening),
        })
    }

    /// Expects a visit of the browser called `mode`.
    #[must_use]
    pub fn expect(&self, mode: &str, suite: Suite) -> Run {
        Run {
            id: self.runs.add(mode, suite),
            address: self.address,
            runs: Arc::clone(&self.runs),
        }
    }
}

impl Run {
    /// What the browser must open. The page does the rest by itself.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.address.port(), self.id)
    }

    /// Waits until all realms have reported.
    ///
    /// # Errors
    /// [`Unfinished`] when they have not within `limit`.
    pub fn report(&self, limit: Duration) -> Result<Report, Unfinished> {
        self.runs.report(&self.id, limit)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.runs.stop();
        // Wakes the listener, which then sees that it shall end.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn listen(listener: &TcpListener, runs: &Arc<Runs>) {
    for stream in listener.incoming() {
        if runs.stopped() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let runs = Arc::clone(runs);
        // One that cannot have a thread is closed, which the browser tries again.
        let _ = thread::Builder::new()
            .name("detectors-connection".into())
            .spawn(move || connection::serve(stream, &runs));
    }
}
