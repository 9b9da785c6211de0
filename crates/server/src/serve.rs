//! The life of the server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use szk_client::Client;
use szk_tools::Failure;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::drain::Drain;
use crate::listen::{ServeError, listen};
use crate::mcp::McpMaker;
use crate::tls::{Tls, TlsFiles};
use crate::{activity, connections, presence, routes, upload};

/// How long calls in flight have to finish once the server is asked to stop.
const GRACE: Duration = Duration::from_secs(10);

/// How much later than its calls MCP ends, so that it can say how they ended.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// Names besides those of loopback that requests may have in `Host`.
    pub hosts: Vec<String>,
    /// Origins whose web pages may send requests, such as `https://app.example`.
    pub origins: Vec<String>,
    /// Whether a proxy that encrypts stands before the server.
    pub behind_proxy: bool,
    /// The certificate, if the server encrypts by itself.
    pub tls: Option<TlsFiles>,
}

/// Serves until a signal arrives: SIGTERM lets calls in flight finish for up to 10 s. SIGHUP reads the
/// certificate again, and without one is the same as SIGTERM. SIGUSR1 drains: no more sessions are opened,
/// and the server ends once nothing goes on. Sessions stay with their keepers.
/// `clients` makes a client for each token, `mcp` makes what answers at `/mcp`; `on_ready` gets the address.
///
/// # Errors
/// [`ServeError::Interrupted`] after SIGINT; SIGTERM is not an error.
pub async fn serve(
    clients: impl Fn(&str, Option<&str>) -> Result<Client, Failure> + Send + Sync + 'static,
    options: ServeOptions,
    mcp: Option<McpMaker>,
    on_ready: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), ServeError> {
    let tls = options
        .tls
        .clone()
        .map(Tls::load)
        .transpose()?
        .map(Arc::new);
    let drain = Drain::new();
    let signal = signals(tls.clone(), Arc::clone(&drain)).map_err(ServeError::Signals)?;
    let encrypted = options.behind_proxy || tls.is_some();
    let (listener, address) = listen(options.address, encrypted).await?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let stop = CancellationToken::new();
    let own = clients("szk serve", None).map_err(ServeError::Unheard)?;
    let over = CancellationToken::new();
    let mcp = mcp.map(|make| make(over.clone())).transpose();
    let mcp = mcp.map_err(ServeError::Unheard)?;
    let sweeper = clients("szk serve", None).map_err(ServeError::Unheard)?;
    let app = App::new(
        Box::new(clients),
        address,
        options,
        mcp,
        Arc::clone(&drain),
        stop.clone(),
    )
    .map_err(ServeError::Unheard)?;
    on_ready(&format!("{scheme}://{address}")).map_err(ServeError::Unheard)?;
    let app = Arc::new(app);
    tokio::spawn(activity::watch(Arc::clone(&app), own));
    tokio::spawn(presence::watch(Arc::clone(&app)));
    let stopping = Arc::clone(&app);
    tokio::spawn(async move {
        stopping.stopped().await;
        tokio::time::sleep(LAST_ANSWERS).await;
        over.cancel();
    });
    tokio::spawn(upload::sweep(sweeper));
    let router = routes::router(app);
    let mut server = Box::pin(connections::serve(listener, tls, router, stop.clone()));
    let interrupted = tokio::select! {
        ended = &mut server => return ended.map_err(ServeError::Broken),
        interrupted = signal => interrupted,
        () = drain.done() => false,
    };
    stop.cancel();
    if interrupted {
        return Err(ServeError::Interrupted);
    }
    // What has not ended by then is cancelled.
    let _ = tokio::time::timeout(GRACE, server).await;
    Ok(())
}

/// Completes on the first signal that ends the server, with whether it was Ctrl-C.
#[cfg(unix)]
fn signals(tls: Option<Arc<Tls>>, drain: Arc<Drain>) -> io::Result<impl Future<Output = bool>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut user = signal(SignalKind::user_defined1())?;
    Ok(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => return true,
                _ = terminate.recv() => return false,
                _ = user.recv() => drain.begin(),
                _ = hangup.recv() => match &tls {
                    Some(tls) => reload(tls),
                    None => return false,
                },
            }
        }
    })
}

#[cfg(unix)]
fn reload(tls: &Tls) {
    match tls.reload() {
        Ok(()) => tracing::info!("read the certificate again"),
        Err(error) => tracing::warn!(%error, "the old certificate stays in use"),
    }
}

/// Completes on the first signal, with whether it was Ctrl-C.
#[cfg(not(unix))]
fn signals(_: Option<Arc<Tls>>, _: Arc<Drain>) -> io::Result<impl Future<Output = bool>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
        true
    })
}
