//! Where the server listens.

use std::io;
use std::net::SocketAddr;

use szk_tools::{Code, Failure};
use tokio::net::TcpListener;

use crate::tls::TlsError;

/// Why the server could not start, or was cut short.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Other machines could reach it, and nothing encrypts what they send.
    #[error("`{0}` can be reached from other machines, and what they send would not be encrypted")]
    Open(SocketAddr),
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The signal handlers could not be installed.
    #[error("cannot watch for signals: {0}")]
    Signals(#[source] io::Error),
    /// The listener broke.
    #[error("the server stopped: {0}")]
    Broken(#[source] io::Error),
    /// Whoever wanted to know the address is gone.
    #[error("cannot tell the address: {0}")]
    Unheard(Failure),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let text = error.to_string();
        match error {
            ServeError::Open(_) => Self::invalid(text).hint(
                "name a certificate with `--tls-cert` and `--tls-key`, or pass `--behind-proxy` if a proxy in front of this address encrypts",
            ),
            ServeError::Tls(_) => Self::invalid(text)
                .hint("`--tls-cert` takes the certificate with its chain, `--tls-key` its private key, both in PEM"),
            ServeError::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Self::new(Code::Storage, text)
                    .hint("another `szk serve` may be running: choose another port with `--listen`, or `:0` for a free one")
            }
            ServeError::Listen { .. } | ServeError::Broken(_) => Self::new(Code::Storage, text)
                .hint("choose another address with `--listen`"),
            ServeError::Signals(_) => Self::internal(text),
            ServeError::Unheard(failure) => failure,
            ServeError::Interrupted => Self::new(Code::Cancelled, text),
        }
    }
}

/// Listens on an address; on one that other machines can reach only if what they send is
/// encrypted.
pub(crate) async fn listen(
    address: SocketAddr,
    encrypted: bool,
) -> Result<(TcpListener, SocketAddr), ServeError> {
    if !address.ip().is_loopback() && !encrypted {
        return Err(ServeError::Open(address));
    }
    let failed = |source| ServeError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}
