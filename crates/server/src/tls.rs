//! The server's own TLS: a certificate with its chain and a key, from PEM files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};

/// Longest certificate or key file, in bytes.
const LONGEST: u64 = 1 << 20;

/// Where the certificate and its key are.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate, followed by those that lead to a root.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why the certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file has nothing in it that is needed.
    #[error("`{}` has no {what} in PEM: {source}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is missing.
        what: &'static str,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// Certificate and key do not work together.
    #[error("certificate and key cannot be used: {0}")]
    Unusable(#[from] tokio_rustls::rustls::Error),
}

/// What connections are encrypted with; it can be read again while the server runs.
pub(crate) struct Tls {
    files: TlsFiles,
    /// A std mutex: nothing awaits under it.
    current: Mutex<Arc<ServerConfig>>,
}

impl Tls {
    pub(crate) fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let current = Mutex::new(read(&files)?);
        Ok(Self { files, current })
    }

    /// Reads the files again, for connections from now on. If that fails, the old certificate stays.
    pub(crate) fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.files)?;
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&current))
    }
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let unfit = |path: &Path, what, source| TlsError::Pem {
        path: path.to_owned(),
        what,
        source,
    };
    let text = bytes(&files.cert)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.and_then(|chain| match chain.is_empty() {
        true => Err(pem::Error::NoItemsFound),
        false => Ok(chain),
    });
    let chain = chain.map_err(|error| unfit(&files.cert, "certificate", error))?;
    let key = PrivateKeyDer::from_pem_slice(&bytes(&files.key)?)
        .map_err(|error| unfit(&files.key, "private key", error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn bytes(path: &Path) -> Result<Vec<u8>, TlsError> {
    szk_files::read(path, LONGEST).map_err(|source| TlsError::Read {
        path: path.to_owned(),
        source,
    })
}
