//! The life of the server: from the first line to the last.

use std::io::{self, Read, Write};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::server::{Server, Shared};
use crate::wire::Wire;
use crate::{Caller, Signal, Tools, signals, stdio};

/// How long calls in flight have to finish after the client closed its side.
const GRACE: Duration = Duration::from_millis(40);

/// How long the last answers have to be written.
const FLUSH: Duration = Duration::from_millis(60);

/// Why the server could not run, or was cut short.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// stdin and stdout cannot be taken over.
    #[error("cannot use stdin and stdout: {0}")]
    Stdio(#[source] io::Error),
    /// The signal handlers could not be installed.
    #[error("cannot watch for signals: {0}")]
    Signals(#[source] io::Error),
    /// The system has no randomness for a key.
    #[error("cannot make a key: {0}")]
    Key(#[source] getrandom::Error),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The handshake broke in a way the wire should have prevented.
    #[error("the handshake failed: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
}

impl ServeError {
    /// The exit code for this error.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted => 130,
            Self::Stdio(_) | Self::Signals(_) | Self::Key(_) | Self::Handshake(_) => 70,
        }
    }
}

/// Serves MCP on this process's stdin and stdout until the client goes away or a signal arrives.
/// Returns within about 100 ms of either, whatever is in flight; sessions stay with their keepers.
///
/// # Errors
/// [`ServeError::Interrupted`] after SIGINT; SIGTERM and the end of stdin are not errors.
pub async fn serve<C: Caller>(caller: Arc<C>, tools: Tools) -> Result<(), ServeError> {
    let signal = signals::watch().map_err(ServeError::Signals)?;
    let (input, output) = stdio::take().map_err(ServeError::Stdio)?;
    serve_on(caller, tools, input, output, signal).await
}

/// [`serve`] on any pair of streams.
///
/// Reading and writing block, each on its own thread, which we never join: stdin is often a socket, a
/// file or a terminal, and a read in progress must not delay the exit.
///
/// # Errors
/// Like [`serve`].
pub async fn serve_on<C: Caller>(
    caller: Arc<C>,
    tools: Tools,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    signal: impl Future<Output = Signal>,
) -> Result<(), ServeError> {
    let stop = CancellationToken::new();
    let cut = CancellationToken::new();
    let (wire, ends) = Wire::over(input, output).map_err(ServeError::Stdio)?;
    let shared = Shared::new().map_err(ServeError::Key)?;
    let server = Server::new(caller, tools, shared, stop.clone());
    // Ends once all answers are written.
    let mut run = pin!(async {
        let result = session(server, wire, cut.clone()).await;
        ends.written.cancelled().await;
        result
    });
    tokio::select! {
        result = &mut run => result,
        () = ends.closed.cancelled() => {
            if let Some(result) = within(GRACE, &mut run).await {
                return result;
            }
            stop.cancel();
            cut.cancel();
            within(FLUSH, &mut run).await.unwrap_or(Ok(()))
        }
        signal = signal => {
            stop.cancel();
            cut.cancel();
            within(GRACE + FLUSH, &mut run).await.transpose()?;
            match signal {
                Signal::Interrupt => Err(ServeError::Interrupted),
                Signal::Terminate => Ok(()),
            }
        }
    }
}

/// The protocol, from the handshake until the wire closes or `cut` is cancelled.
async fn session<C: Caller>(
    server: Server<C>,
    wire: Wire,
    cut: CancellationToken,
) -> Result<(), ServeError> {
    match server.serve_with_ct(wire, cut).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::error!(%error, "the protocol task broke");
            }
            Ok(())
        }
        // The client left before saying anything, or does not read; neither is our error.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. }
            | ServerInitializeError::Cancelled,
        ) => Ok(()),
        Err(error) => Err(ServeError::Handshake(Box::new(error))),
    }
}

async fn within<F: Future>(limit: Duration, run: &mut Pin<&mut F>) -> Option<F::Output> {
    timeout(limit, run).await.ok()
}
