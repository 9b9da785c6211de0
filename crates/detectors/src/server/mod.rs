//! A local HTTP/1.1 server that serves the pages and records what they and their requests say.
//!
//! Hand-written because the suite compares the order and spelling of request headers, which
//! general-purpose servers do not preserve.

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
    /// How long we waited.
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
    /// [`ServerError`] if there is none.
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
    /// The URL that the browser must open. The page does the rest on its own.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.address.port(), self.id)
    }

    /// Waits until all realms have reported.
    ///
    /// # Errors
    /// [`Unfinished`] if they have not within `limit`.
    pub fn report(&self, limit: Duration) -> Result<Report, Unfinished> {
        self.runs.report(&self.id, limit)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.runs.stop();
        // Wakes the listener, which then sees that it must stop.
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
        // A connection that cannot get a thread is closed, and the browser tries again.
        let _ = thread::Builder::new()
            .name("detectors-connection".into())
            .spawn(move || connection::serve(stream, &runs));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::report::Outcome;

    /// Sends one request and returns the whole answer.
    fn ask(run: &Run, method: &str, name: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(run.address).unwrap();
        let target = format!("/{}/{name}", run.id);
        let (host, length) = (run.address, body.len());
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {host}\r\nX-Own: 1\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_visit_ends_with_all_that_was_reported() {
        let server = Server::start().unwrap();
        let run = server.expect("szk", Suite::Short);
        assert!(ask(&run, "GET", "", "").starts_with("HTTP/1.1 200 OK\r\n"));
        assert!(ask(&run, "GET", "suite", "").ends_with("\r\n\r\nshort"));
        ask(
            &run,
            "POST",
            "report/main",
            r#"{"a": {"value": 1}, "b": {"verdict": {"ok": false}}}"#,
        );
        assert!(ask(&run, "GET", "wait/main", "").contains("200 OK"));
        ask(&run, "POST", "done", r#"["service"]"#);
        let report = run.report(Duration::from_secs(5)).unwrap();
        assert_eq!(report.realms["main"]["a"], Outcome::Value(1.into()));
        let failed: Vec<_> = report
            .failed()
            .map(|(realm, check, _)| (realm, check))
            .collect();
        assert_eq!(failed, [("main", "b"), ("service", "reports")]);
        let Outcome::Value(headers) = &report.realms["http"]["headers of the document"] else {
            panic!("{report:#?}");
        };
        assert_eq!(headers[1], "X-Own: 1");
        assert_eq!(headers[0], "Host: 127.0.0.1:PORT");
    }

    #[test]
    fn who_does_not_finish_is_named() {
        let server = Server::start().unwrap();
        let run = server.expect("szk", Suite::Full);
        ask(&run, "POST", "report/main", "{}");
        let unfinished = run.report(Duration::ZERO).unwrap_err();
        assert_eq!(unfinished.reported, ["main"]);
        // Another visit's address belongs to no one.
        let other = Run {
            id: "visit9".into(),
            ..run
        };
        assert!(ask(&other, "GET", "", "").contains("404"));
    }
}
