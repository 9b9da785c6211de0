//! Connections to the live view, until their first request shows that they know the token.
//!
//! Every user of this machine can connect to a port. A connection without the token is closed after
//! [`STRANGER`], whatever it sends, and there are at most [`CONNECTIONS`] at once, so no one else can
//! use up the keeper's file descriptors.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

/// How long a connection may stay without a request with the token.
const STRANGER: Duration = Duration::from_secs(10);
/// Connections at the same time; a viewer needs a handful.
const CONNECTIONS: usize = 128;

/// A listener with room for a bounded number of connections.
pub(super) struct BoundedListener<L> {
    listener: L,
    room: Arc<Semaphore>,
}

/// Whether a connection has shown the token, shared between it and its requests; and where it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenShown {
    shown: Arc<AtomicBool>,
    peer: Option<SocketAddr>,
}

/// An address of a listener: that of a network, if it is one.
pub(super) trait Origin {
    /// The address on the network.
    fn on_network(&self) -> Option<SocketAddr>;
}

impl Origin for SocketAddr {
    fn on_network(&self) -> Option<SocketAddr> {
        Some(*self)
    }
}

/// A connection that ends by itself unless it becomes known.
pub(super) struct Connection<S> {
    stream: S,
    known: TokenShown,
    patience: Pin<Box<Sleep>>,
    _room: Option<OwnedSemaphorePermit>,
}

impl TokenShown {
    /// Records that the connection has shown the token.
    pub(super) fn confirm(&self) {
        self.shown.store(true, Ordering::Relaxed);
    }

    /// The other end.
    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }
}

impl<L> BoundedListener<L> {
    pub(super) fn new(listener: L) -> Self {
        Self {
            listener,
            room: Arc::new(Semaphore::new(CONNECTIONS)),
        }
    }
}

impl<L: Listener<Addr: Origin>> Listener for BoundedListener<L> {
    type Io = Connection<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // The semaphore is never closed, so a permit always comes; without one the connection waits in
        // the system.
        let room = Arc::clone(&self.room).acquire_owned().await.ok();
        let (stream, address) = self.listener.accept().await;
        let connection = Connection {
            stream,
            known: TokenShown {
                shown: Arc::default(),
                peer: address.on_network(),
            },
            patience: Box::pin(sleep(STRANGER)),
            _room: room,
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

impl<L: Listener<Addr: Origin>> Connected<IncomingStream<'_, BoundedListener<L>>> for TokenShown {
    fn connect_info(stream: IncomingStream<'_, BoundedListener<L>>) -> Self {
        stream.io().known.clone()
    }
}

impl<S> Connection<S> {
    /// Whether its time is up; wakes the task when it will be.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        !self.known.shown.load(Ordering::Relaxed) && self.patience.as_mut().poll(context).is_ready()
    }
}

fn over() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no request that knows the token")
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
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

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::sync::mpsc;

    use super::*;

    impl Origin for () {
        fn on_network(&self) -> Option<SocketAddr> {
            None
        }
    }

    /// Connections in memory, so that the paused clock does not jump while one is on its way.
    struct InMemory(mpsc::UnboundedReceiver<DuplexStream>);

    impl Listener for InMemory {
        type Io = DuplexStream;
        type Addr = ();

        async fn accept(&mut self) -> (Self::Io, Self::Addr) {
            match self.0.recv().await {
                Some(stream) => (stream, ()),
                None => std::future::pending().await,
            }
        }

        fn local_addr(&self) -> io::Result<Self::Addr> {
            Ok(())
        }
    }

    /// A server that knows the token `good`, and how to connect to it.
    fn served() -> mpsc::UnboundedSender<DuplexStream> {
        let (connect, connections) = mpsc::unbounded_channel();
        let page = |ConnectInfo(known): ConnectInfo<TokenShown>, Path(token): Path<String>| async move {
            if token == "good" {
                known.confirm();
            }
            token
        };
        let router = Router::new().route("/{token}", get(page));
        let service = router.into_make_service_with_connect_info::<TokenShown>();
        let listener = BoundedListener::new(InMemory(connections));
        tokio::spawn(async move { axum::serve(listener, service).await });
        connect
    }

    async fn asked(server: &mpsc::UnboundedSender<DuplexStream>, what: &str) -> DuplexStream {
        let (mut ours, theirs) = duplex(4096);
        server.send(theirs).unwrap();
        ours.write_all(what.as_bytes()).await.unwrap();
        ours
    }

    /// How long until the other side closes the connection; `None` after twice a stranger's time.
    async fn ends(mut stream: DuplexStream) -> Option<Duration> {
        let mut all = Vec::new();
        let begun = tokio::time::Instant::now();
        let closed = stream.read_to_end(&mut all);
        let closed = tokio::time::timeout(2 * STRANGER, closed).await;
        closed.is_ok().then(|| begun.elapsed())
    }

    // The clock is paused: it jumps when everybody waits.
    #[tokio::test(start_paused = true)]
    async fn connections_without_the_token_are_closed_and_others_stay() {
        let server = served();
        let request = |token: &str| format!("GET /{token} HTTP/1.1\r\nhost: x\r\n\r\n");
        let known = asked(&server, &request("good")).await;
        let strangers = [
            asked(&server, "").await,
            asked(&server, "GET / HT").await,
            asked(&server, "GET / HTTP/1.1\r\nx: y\r\n").await,
            asked(&server, &request("bad")).await,
        ];
        let (known, strangers) = tokio::join!(
            ends(known),
            futures_util::future::join_all(strangers.map(ends))
        );
        for stranger in strangers {
            assert_eq!(
                stranger.map(|time| time.as_secs()),
                Some(STRANGER.as_secs())
            );
        }
        assert_eq!(known, None, "it was closed");
    }
}
