//! How much one endpoint and one client of it may take.

use std::time::Duration;

const MIB: usize = 1 << 20;

/// Every queue and every wait of the endpoint. Only tests choose other values.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// Bytes of one message from a client; more closes its socket with 1009.
    pub(super) incoming: usize,
    /// Bytes that may wait for a client that does not read; more and it is dropped.
    pub(super) outgoing_bytes: usize,
    /// Messages that may wait for it.
    pub(super) outgoing_messages: usize,
    /// Unanswered commands of one client; its socket is not read beyond that.
    pub(super) in_flight: usize,
    /// How long a client may leave a target paused.
    pub(super) paused: Duration,
    /// How long the headers of a request may take.
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
