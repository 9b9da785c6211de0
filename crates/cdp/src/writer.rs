//! The task that writes the pipe.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::watch;

use crate::CloseReason;
use crate::queue::Pull;
use crate::state::Shared;

/// How long writing the queue may take after the end, and how long the reader may take to find the end
/// of input after a failed write.
const GRACE: Duration = Duration::from_secs(1);

/// Bytes to write at once, as much as a pipe holds.
const BUFFER: usize = 64 << 10;

type Closed = watch::Receiver<Option<Arc<CloseReason>>>;

/// Writes queued commands, in order. Returning drops the writing end, which Chromium notices.
pub(crate) async fn run<W: AsyncWrite + Unpin>(
    writer: W,
    mut commands: Pull<Vec<u8>>,
    mut closed: Closed,
    shared: Weak<Shared>,
) {
    // Commands that were queued together are written together, because each write wakes the browser.
    let mut writer = BufWriter::with_capacity(BUFFER, writer);
    let written = tokio::select! {
        // Ends when the queue is closed and completely written, or when writing fails.
        written = write(&mut writer, &mut commands) => written,
        // Ends when the connection is over and the browser does not take the rest.
        () = over(&mut closed) => Ok(()),
    };
    drop(writer);
    drop(commands);
    let Err(error) = written else {
        return;
    };
    // The reader knows better why a browser went away, and may still have answers to read.
    if tokio::time::timeout(GRACE, ended(&mut closed))
        .await
        .is_err()
        && let Some(shared) = shared.upgrade()
    {
        shared.finish(CloseReason::Write(error));
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &mut W,
    commands: &mut Pull<Vec<u8>>,
) -> io::Result<()> {
    while let Some(command) = commands.recv().await {
        writer.write_all(&command).await?;
        if commands.is_empty() {
            writer.flush().await?;
        }
    }
    writer.shutdown().await
}

async fn over(closed: &mut Closed) {
    ended(closed).await;
    tokio::time::sleep(GRACE).await;
}

/// Completes when the connection is finished, or all its handles are dropped.
async fn ended(closed: &mut Closed) {
    drop(closed.wait_for(Option::is_some).await);
}
