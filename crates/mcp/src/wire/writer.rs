//! Writes frames to a blocking stream.

use std::io::{self, Write};
use std::thread;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Frames that may queue for a slow client; then its answers wait.
const WAITING: usize = 64;

/// Writes frames on a thread, one per line, until all senders are gone or the client stops reading.
/// Cancels `closed` in the second case, and `written` at the end of either.
///
/// # Errors
/// The thread cannot be started.
pub(crate) fn spawn(
    mut output: impl Write + Send + 'static,
    closed: CancellationToken,
    written: CancellationToken,
) -> io::Result<mpsc::Sender<Vec<u8>>> {
    let (sender, mut receiver) = mpsc::channel::<Vec<u8>>(WAITING);
    thread::Builder::new()
        .name("mcp-write".into())
        .spawn(move || {
            let _written = written.drop_guard();
            while let Some(mut frame) = receiver.blocking_recv() {
                // One write per line, so that nothing gets in between.
                frame.push(b'\n');
                if let Err(error) = output.write_all(&frame).and_then(|()| output.flush()) {
                    tracing::debug!(%error, "the client reads no more");
                    closed.cancel();
                    break;
                }
            }
        })?;
    Ok(sender)
}
