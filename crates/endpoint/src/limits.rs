//! Limits of an endpoint and of each client.

use std::time::Duration;

const MIB: usize = 1 << 20;

/// The limits of all queues and waits. Only tests use other values.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// Longest message from a client in bytes; a longer one closes its socket with 1009.
    pub(super) incoming: usize,
    /// Bytes that may wait for a slow client; with more, it is dropped.
    pub(super) outgoing_bytes: usize,
    /// Messages that may wait for it.
    pub(super) outgoing_messages: usize,
    /// Unanswered commands of one client; with more, its socket is not read.
    pub(super) in_flight: usize,
    /// How long a client may leave a target paused.
    pub(super) paused: Duration,
    /// How long receiving the headers of a request may take.
    pub(super) headers: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            incoming: 100 * MIB,
            outgoing_bytes: 256 * MIB,
            outgoing_messages: 65_536,
            in_flight: 16_384,
            paused: Duration::from_secs(5),
            headers: Duration::from_secs(10),
        }
    }
}
