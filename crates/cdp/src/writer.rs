//! The task that writes the pipe.

use std::io;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::watch;

use crate::CloseReason;
use crate::queue::Pull;
use crate::state::Shared;

/// How long the queue may take to be written after the end, and how long the reader may take to
/// find the end of input after a failed write.
const GRACE: Duration = Duration::from_secs(1);

/// Bytes that are written at once, as much as a pipe holds.
const BUFFER: usize = 64 << 10;

type Closed = watch::Receiver<Option<Arc<CloseReason>>>;

/// Writes what is queued, in order. Returning drops the writing end, which Chromium sees.
pub(crate) async fn run<W: AsyncWrite + Unpin>(
    writer: W,
    mut commands: Pull<Vec<u8>>,
    mut closed: Closed,
    shared: Weak<Shared>,
) {
    // What was queued together is written together: each write wakes the browser.
    let mut writer = BufWriter::with_capacity(BUFFER, writer);
    let written = tokio::select! {
        // Ends when the queue was closed and all of it is written, or writing failed.
        written = write(&mut writer, &mut commands) => written,
        // Ends when the connection is over and the browser does not take the rest.
        () = over(&mut closed) => Ok(()),
    };
    drop(writer);
    drop(commands);
    let Err(error) = written else {
        return;
    };
    // A browser that went away is known better by the reader, which may have answers to read yet.
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

/// The connection was finished, or all its handles were dropped.
async fn ended(closed: &mut Closed) {
    drop(closed.wait_for(Option::is_some).await);
}
