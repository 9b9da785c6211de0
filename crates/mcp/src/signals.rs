//! The signals that end the server.

use std::io;

/// What asked the server to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// A supervisor, or a terminal that closed.
    Terminate,
}

/// Starts watching now; the returned future completes on the first signal.
///
/// # Errors
/// The handlers cannot be installed.
#[cfg(unix)]
pub(crate) fn watch() -> io::Result<impl Future<Output = Signal>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::Terminate,
            _ = hangup.recv() => Signal::Terminate,
        }
    })
}

/// Starts watching now; the returned future completes on the first signal.
///
/// # Errors
/// The handlers cannot be installed.
#[cfg(not(unix))]
pub(crate) fn watch() -> io::Result<impl Future<Output = Signal>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
        Signal::Interrupt
    })
}
