//! Closing a connection whose request was answered before all of it had come.
//!
//! A system that closes a socket with unread bytes resets the connection, and the reset overtakes the
//! answer: a client that is still sending a body that was refused for its size would see a broken
//! connection, and not why. So after the answer, what the client still sends is read and dropped for a
//! while, until it closes its end, too.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long to wait for the next bytes.
const NEXT: Duration = Duration::from_secs(3);
/// How long all of it may take.
const LONGEST: Duration = Duration::from_secs(15);
/// Most bytes to read.
const MOST: usize = 256 << 20;
/// Bytes to read at a time.
const PIECE: usize = 8 << 10;

/// Whether the body of the request that a connection is at has not been read to its end. The connection's
/// stream and the body share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unread(Arc<AtomicBool>);

impl Unread {
    /// The body of the next request.
    pub(crate) fn watch<B: Body>(&self, body: B) -> Watched<B> {
        self.set(!body.is_end_stream());
        Watched {
            body,
            unread: self.clone(),
        }
    }

    fn set(&self, unread: bool) {
        self.0.store(unread, Ordering::Relaxed);
    }

    fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request's body that says when it has been read.
pub(crate) struct Watched<B> {
    body: B,
    unread: Unread,
}

impl<B: Body<Data = Bytes> + Unpin> Body for Watched<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.unread.set(false);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection's stream. To shut it down ends what we send, and then reads what the client still sends of
/// a request that has been answered.
pub(crate) struct Lingering<S> {
    stream: S,
    unread: Unread,
    /// Set once our side is closed.
    rest: Option<Rest>,
}

/// How much more may come.
struct Rest {
    bytes: usize,
    until: Instant,
    next: Pin<Box<Sleep>>,
}

impl<S> Lingering<S> {
    pub(crate) fn new(stream: S, unread: Unread) -> Self {
        Self {
            stream,
            unread,
            rest: None,
        }
    }
}

impl Rest {
    fn new() -> Self {
        Self {
            bytes: MOST,
            until: Instant::now() + LONGEST,
            next: Box::pin(sleep(NEXT)),
        }
    }

    /// Counts what came. Whether more may come.
    fn took(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_sub(bytes);
        self.next
            .as_mut()
            .reset((Instant::now() + NEXT).min(self.until));
        bytes > 0 && self.bytes > 0
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.rest.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            if !this.unread.is() {
                return Poll::Ready(Ok(()));
            }
        }
        let rest = this.rest.get_or_insert_with(Rest::new);
        let mut piece = [0; PIECE];
        loop {
            let mut piece = ReadBuf::new(&mut piece);
            match Pin::new(&mut this.stream).poll_read(context, &mut piece) {
                Poll::Ready(Ok(())) if rest.took(piece.filled().len()) => {}
                // The client closed its end or sends too much, or the connection broke.
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    ready!(rest.next.as_mut().poll(context));
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    fn connection(unread: bool) -> (DuplexStream, Lingering<DuplexStream>) {
        let (client, server) = duplex(1 << 10);
        let flag = Unread::default();
        flag.set(unread);
        (client, Lingering::new(server, flag))
    }

    /// The clock of tokio is right to a millisecond.
    #[track_caller]
    fn took(began: Instant, expected: Duration) {
        let time = began.elapsed();
        let late = time.checked_sub(expected).unwrap();
        assert!(late < Duration::from_millis(5), "{time:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_client_still_sends_is_taken_before_the_connection_ends() {
        let (mut client, mut server) = connection(true);
        server.write_all(b"too long").await.unwrap();
        let closing = tokio::spawn(async move {
            server.shutdown().await.unwrap();
            drop(server);
        });
        client.write_all(&[b'x'; 100 << 10]).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "too long");
        let began = Instant::now();
        drop(client);
        closing.await.unwrap();
        assert!(began.elapsed() < NEXT);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_waited_for_whose_request_was_read() {
        let (_client, mut server) = connection(false);
        let began = Instant::now();
        server.shutdown().await.unwrap();
        assert!(began.elapsed() < NEXT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_not_waited_for_long() {
        let (_client, mut server) = connection(true);
        let began = Instant::now();
        server.shutdown().await.unwrap();
        took(began, NEXT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_is_not_waited_for_forever() {
        let (mut client, mut server) = connection(true);
        let began = Instant::now();
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(NEXT / 2);
            loop {
                tick.tick().await;
                if client.write_all(b"x").await.is_err() {
                    return;
                }
            }
        });
        server.shutdown().await.unwrap();
        took(began, LONGEST);
    }

    #[tokio::test]
    async fn no_more_than_so_much_is_read() {
        let mut rest = Rest::new();
        assert!(rest.took(MOST - 1));
        assert!(!rest.took(1));
        assert!(!Rest::new().took(0), "the end");
    }

    #[tokio::test]
    async fn a_body_is_unread_until_its_end() {
        use http_body_util::BodyExt as _;

        let unread = Unread::default();
        let mut body = unread.watch(http_body_util::Full::new(Bytes::from_static(b"body")));
        assert!(unread.is());
        body.frame().await.unwrap().unwrap();
        assert!(!unread.is());
        unread.watch(http_body_util::Empty::<Bytes>::new());
        assert!(!unread.is());
    }
}
