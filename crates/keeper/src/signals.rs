//! Signals that ask the keeper to stop: it saves, closes and exits.

use szk_runtime::session::{Session, Why};
use szk_tools::Failure;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals caught from now on.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Starts catching signals, before there is a browser to lose.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let catch = |kind| {
            signal(kind)
                .map_err(|error| Failure::internal(format!("cannot catch signals: {error}")))
        };
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }

    /// The name of the next signal.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.hangup.recv() => "SIGHUP",
        }
    }

    /// Closes the session on the first signal. Later ones change nothing: closing is bounded anyway.
    pub(crate) async fn watch(mut self, session: Session) {
        let name = tokio::select! {
            name = self.next() => name,
            _ = session.closed() => return,
        };
        tracing::info!(name, "asked to stop");
        session.close(true, Why::Signal(name)).await;
    }
}
