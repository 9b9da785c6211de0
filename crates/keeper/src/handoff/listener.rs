//! Connections to the live view, until their first request shows that they know the token.
//!
//! Every user of this machine can connect to a port. A connection without the token is closed after
//! [`STRANGER`], whatever it sends, and there are at most [`CONNECTIONS`] at once, so no one else can
//! use up the keeper's file descriptors.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// How long a connection may stay without a request with the token.
const STRANGER: Duration = Duration::from_secs(10);
/// Connections at the same time; a viewer needs a handful.
const CONNECTIONS: usize = 128;
/// How long to wait if no connection can be accepted, for example because file descriptors ran out.
const BREATH: Duration = Duration::from_millis(100);

/// A listener with a limited number of connections.
pub(super) struct BoundedListener {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

/// Whether a connection has shown the token; shared between it and its requests.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenShown(Arc<AtomicBool>);

/// A connection that closes itself unless it shows the token.
pub(super) struct Connection {
    stream: TcpStream,
    known: TokenShown,
    patience: Pin<Box<Sleep>>,
    _room: Option<OwnedSemaphorePermit>,
}

impl TokenShown {
    /// Records that the connection has shown the token.
    pub(super) fn confirm(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            room: Arc::new(Semaphore::new(CONNECTIONS)),
        }
    }
}

impl Listener for BoundedListener {
    type Io = Connection;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // The semaphore is never closed, so a permit always comes; without one the connection waits in
        // the system.
        let room = Arc::clone(&self.room).acquire_owned().await.ok();
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let connection = Connection {
                        stream,
                        known: TokenShown::default(),
                        patience: Box::pin(sleep(STRANGER)),
                        _room: room,
                    };
                    return (connection, address);
                }
                Err(error) => {
                    tracing::warn!(%error, "the live view cannot accept a connection");
                    sleep(BREATH).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, BoundedListener>> for TokenShown {
    fn connect_info(stream: IncomingStream<'_, BoundedListener>) -> Self {
        stream.io().known.clone()
    }
}

impl Connection {
    /// Whether its time is up; otherwise wakes the task when it will be.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        !self.known.0.load(Ordering::Relaxed) && self.patience.as_mut().poll(context).is_ready()
    }
}

fn over() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no request that knows the token")
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_over(context) {
            return Poll::Ready(Err(over()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_over(context) {
            return Poll::Ready(Err(over()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::{ConnectInfo, Path};
    use axum::{Router, routing::get};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// A listener with the token `good`, and its address.
    async fn served() -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let page = |ConnectInfo(known): ConnectInfo<TokenShown>, Path(token): Path<String>| async move {
            if token == "good" {
                known.confirm();
            }
            token
        };
        let router = Router::new().route("/{token}", get(page));
        let service = router.into_make_service_with_connect_info::<TokenShown>();
        tokio::spawn(async move { axum::serve(BoundedListener::new(listener), service).await });
        address
    }

    async fn asked(address: std::net::SocketAddr, what: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(what.as_bytes()).await.unwrap();
        stream
    }

    /// Whether the other side closes the connection within twice the time for strangers.
    async fn ends(mut stream: TcpStream) -> bool {
        let mut all = Vec::new();
        let closed = stream.read_to_end(&mut all);
        tokio::time::timeout(2 * STRANGER, closed).await.is_ok()
    }

    #[tokio::test]
    async fn connections_without_the_token_are_closed_and_others_stay() {
        let address = served().await;
        let request = |token: &str| format!("GET /{token} HTTP/1.1\r\nhost: x\r\n\r\n");
        let known = asked(address, &request("good")).await;
        let strangers = [
            asked(address, "").await,
            asked(address, "GET / HT").await,
            asked(address, "GET / HTTP/1.1\r\nx: y\r\n").await,
            asked(address, &request("bad")).await,
        ];
        let begun = std::time::Instant::now();
        let (known, strangers) = tokio::join!(
            ends(known),
            futures_util::future::join_all(strangers.map(ends))
        );
        assert_eq!(strangers, [true; 4]);
        assert!(!known, "closed after {:?}", begun.elapsed());
    }
}
