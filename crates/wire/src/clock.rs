//! The clock that both ends read.

/// Now, in milliseconds of the clock that all processes of this machine share.
#[must_use]
pub fn shared_clock_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or_default() * 1000
        + u64::try_from(now.tv_nsec).unwrap_or_default() / 1_000_000
}
