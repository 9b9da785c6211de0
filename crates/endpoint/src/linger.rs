//! Closes a socket without losing what was written last.
//!
//! Closing a TCP socket with unread input resets it, and the other side may never see the reason that
//! was sent (for example "message too big", in the middle of that message). So the writing end closes
//! first, and further input is read and discarded for a moment.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// How long the other side has to notice the end.
const LIMIT: Duration = Duration::from_secs(5);

/// A TCP stream that lingers when it is dropped.
#[derive(Debug)]
pub(super) struct Lingering {
    /// Taken only on drop.
    stream: Option<TcpStream>,
}

impl Lingering {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream: Some(stream),
        }
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(self.get_mut().stream.as_mut().expect("taken only on drop"))
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        // Outside of a runtime no task can wait, so the system closes it at once.
        if let (Some(stream), Ok(runtime)) = (self.stream.take(), Handle::try_current()) {
            runtime.spawn(async move {
                // After the limit it does not matter.
                let _ = tokio::time::timeout(LIMIT, drain(stream)).await;
            });
        }
    }
}

async fn drain(mut stream: TcpStream) {
    let mut bin = vec![0; 64 * 1024];
    if stream.shutdown().await.is_ok() {
        while matches!(stream.read(&mut bin).await, Ok(1..)) {}
    }
}

impl AsyncRead for Lingering {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream().poll_read(cx, buf)
    }
}

impl AsyncWrite for Lingering {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}
