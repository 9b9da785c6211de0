//! The clock that client and keeper share.

/// Now, in milliseconds of a clock that all processes on this machine share.
#[must_use]
pub fn shared_clock_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(now.tv_sec).unwrap_or_default() * 1000
        + u64::try_from(now.tv_nsec).unwrap_or_default() / 1_000_000
}
