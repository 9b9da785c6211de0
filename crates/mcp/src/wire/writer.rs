//! Frames to a blocking writer.

use std::io::{self, Write};
use std::thread;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Frames that may wait for a client that reads slowly; then its answers wait.
const WAITING: usize = 64;

/// Writes frames on a thread, one line each, until all senders are gone or the client reads no more.
/// `closed` is cancelled in the second case, `written` at the end of either.
///
/// # Errors
/// When the thread cannot be started.
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
                // One write a line, so that nothing comes between the two.
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
