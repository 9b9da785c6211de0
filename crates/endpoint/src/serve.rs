//! The task of one port: accepts connections, parses requests, and passes them on.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::access::IncomingPort;
use super::http;
use super::linger::Lingering;
use super::listener::Shared;
use super::peer;

/// Maximum simultaneous HTTP connections. WebSockets do not count.
const CONNECTIONS: usize = 256;

/// Limits for the headers of one request, in bytes and in number. There are no bodies.
const HEADER_BYTES: usize = 32 * 1024;
const HEADERS: usize = 64;

/// How long to wait if no connection can be accepted, for example because file descriptors ran out.
const BREATH: Duration = Duration::from_millis(100);

/// Who may use a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Clients that show the token.
    Token,
    /// Programs of this user, which need no token.
    Plain,
}

/// Serves one of the listener's ports until the listener closes.
pub(super) async fn run(socket: TcpListener, port: u16, kind: Kind, shared: Arc<Shared>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = async {
            // The semaphore is never closed, so a permit always comes; without one the connection waits
            // in the system.
            let permit = Arc::clone(&room).acquire_owned().await.ok();
            (permit, socket.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            () = shared.closing.cancelled() => return,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                shared.tasks.spawn(connection(
                    stream,
                    permit,
                    (port, kind),
                    Arc::clone(&shared),
                ));
            }
            Err(error) => {
                tracing::warn!(%error, "the endpoint cannot accept a connection");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

async fn connection(
    stream: TcpStream,
    permit: Option<OwnedSemaphorePermit>,
    (port, kind): (u16, Kind),
    shared: Arc<Shared>,
) {
    // Commands are small, and each is awaited.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot disable Nagle's algorithm");
    }
    let vouched = kind == Kind::Plain && peer::is_of_this_user(&stream).await;
    let incoming = IncomingPort { port, vouched };
    let service = service_fn(|request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(http::answer(&shared, incoming, request).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.limits.headers)
        .max_buf_size(HEADER_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Lingering::new(stream)), service)
        .with_upgrades();
    tokio::select! {
        ended = serving => if let Err(error) = ended {
            tracing::debug!(%error, "a connection of the endpoint ended early");
        },
        () = shared.closing.cancelled() => {}
    }
    drop(permit);
}
