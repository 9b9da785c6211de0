//! The loopback port of a profile.

use std::io::ErrorKind;
use std::path::Path;

use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use super::ListenerError;

/// Below Linux's ephemeral range, so that no outgoing connection takes a profile's port.
const PORTS: std::ops::RangeInclusive<u16> = 10_000..=32_767;

/// A port that browsers and Node refuse to connect to (the fetch standard's "bad ports").
const BLOCKED: u16 = 10_080;

/// Number of ports in the sequence to try.
const TRIES: u32 = 64;

/// Binds the first free port of the profile's sequence, on loopback only.
///
/// # Errors
/// [`ListenerError::Bind`] if binding fails for any reason but a taken port,
/// [`ListenerError::NoPort`] if the whole sequence is taken.
pub(super) async fn bind(name: &str, store: &Path) -> Result<TcpListener, ListenerError> {
    for port in candidates(name, store) {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Ok(socket) => return Ok(socket),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::AddrInUse | ErrorKind::PermissionDenied
                ) =>
            {
                tracing::debug!(port, %error, "port is taken; trying the next of the sequence");
            }
            Err(source) => return Err(ListenerError::Bind { port, source }),
        }
    }
    Err(ListenerError::NoPort { tried: TRIES })
}

/// The sequence of a profile: the same on every start, different for every profile and store.
fn candidates(name: &str, store: &Path) -> impl Iterator<Item = u16> {
    // Several paths may lead to one store.
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    let base = Sha256::new()
        .chain_update(name)
        .chain_update([0])
        .chain_update(store.as_os_str().as_encoded_bytes());
    (0..TRIES)
        .map(move |n| {
            port(
                &base
                    .clone()
                    .chain_update([0])
                    .chain_update(n.to_be_bytes())
                    .finalize(),
            )
        })
        .filter(|port| *port != BLOCKED)
}

/// A stable id for the endpoint in `/devtools/browser/<id>`, in the form of a UUID, so that addresses
/// stay valid when the browser or the keeper restarts.
pub(super) fn browser_id(name: &str, store: &Path) -> String {
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    let digest = Sha256::new()
        .chain_update("browser")
        .chain_update([0])
        .chain_update(name)
        .chain_update([0])
        .chain_update(store.as_os_str().as_encoded_bytes())
        .finalize();
    let hex: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

fn port(digest: &[u8]) -> u16 {
    let span = u32::from(PORTS.end() - PORTS.start()) + 1;
    let seed = digest
        .iter()
        .take(4)
        .fold(0_u32, |seed, byte| seed << 8 | u32::from(*byte));
    // The remainder is below the span, which fits.
    PORTS.start() + (seed % span) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_its_own_stable_sequence_in_the_range() {
        let store = tempfile::tempdir().unwrap();
        let first: Vec<_> = candidates("work", store.path()).collect();
        assert_eq!(first, candidates("work", store.path()).collect::<Vec<_>>());
        assert_ne!(first, candidates("home", store.path()).collect::<Vec<_>>());
        assert_ne!(
            first,
            candidates("work", Path::new("/")).collect::<Vec<_>>()
        );
        assert!(first.len() > 32);
        assert!(
            first
                .iter()
                .all(|port| PORTS.contains(port) && *port != BLOCKED)
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_path_to_a_store_does_not_matter() {
        let store = tempfile::tempdir().unwrap();
        let link = store.path().join("link");
        std::os::unix::fs::symlink(store.path(), &link).unwrap();
        assert!(candidates("work", &link).eq(candidates("work", store.path())));
        assert_eq!(browser_id("work", &link), browser_id("work", store.path()));
    }

    #[tokio::test]
    async fn a_taken_port_is_skipped_and_used_again_when_free() {
        let store = tempfile::tempdir().unwrap();
        let port = |socket: &TcpListener| socket.local_addr().unwrap().port();
        let first = bind("work", store.path()).await.unwrap();
        let second = bind("work", store.path()).await.unwrap();
        assert_ne!(port(&first), port(&second));
        let wanted = port(&first);
        drop(first);
        assert_eq!(port(&bind("work", store.path()).await.unwrap()), wanted);
    }
}
