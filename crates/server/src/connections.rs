//! Connections: how long one may take over a request's head, how many there may be, and how they end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::lingering::{Lingering, Unread};
use crate::tls::Tls;

/// How long a client may take to send the head of a request; an idle connection ends after it, too.
const HEAD: Duration = Duration::from_secs(10);
/// Longest head, in bytes.
const LONGEST_HEAD: usize = 64 << 10;
/// Most connections at the same time; further ones wait in the system.
const MOST: u64 = 8192;
/// Files that the server has open besides: its log, the store, keepers that are starting.
const OTHER_FILES: u64 = 200;
/// How long to wait after the system could not accept a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, and then until all connections have finished the request they are at.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    router: Router,
    stop: CancellationToken,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(most(szk_client::allow_many_files())));
    let open = TaskTracker::new();
    loop {
        // The semaphore is never closed, so a permit always comes.
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await.ok();
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                open.spawn(connection(
                    stream,
                    tls.clone(),
                    router.clone(),
                    stop.clone(),
                    place,
                ));
            }
            // Of one connection, or of all: too many files are open.
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
    Ok(())
}

/// How many connections so many open files are enough for: each has its own, and one to a keeper.
fn most(files: u64) -> usize {
    let most = (files.saturating_sub(OTHER_FILES) / 2).clamp(16, MOST);
    usize::try_from(most).unwrap_or(usize::MAX)
}

async fn connection(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    router: Router,
    stop: CancellationToken,
    _place: Option<OwnedSemaphorePermit>,
) {
    // Events are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return requests(stream, router, stop).await;
    };
    let greeted = tokio::select! {
        greeted = tokio::time::timeout(HEAD, tls.acceptor().accept(stream)) => greeted,
        () = stop.cancelled() => return,
    };
    match greeted {
        Ok(Ok(stream)) => requests(stream, router, stop).await,
        Ok(Err(error)) => tracing::debug!(%error, "a client does not speak TLS with us"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

/// Answers the requests of one connection.
async fn requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    stop: CancellationToken,
) {
    let mut served = http1::Builder::new();
    served
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD);
    let unread = Unread::default();
    let stream = Lingering::new(stream, unread.clone());
    let router = TowerToHyperService::new(router);
    let answer = service_fn(move |request: Request<Incoming>| {
        router.call(request.map(|body| unread.watch(body)))
    });
    let served = served.serve_connection(TokioIo::new(stream), answer);
    let mut served = std::pin::pin!(served.with_upgrades());
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_files_for_each_connection_and_its_keeper() {
        assert_eq!(most(1024), 412);
        assert_eq!(most(65_536), 8192);
        assert_eq!(most(100), 16);
        assert_eq!(most(u64::MAX), 8192);
    }
}
