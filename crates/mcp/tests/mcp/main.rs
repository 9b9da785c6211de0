//! The server over in-memory pipes, with a scripted caller in place of the client.
#![allow(
    clippy::unwrap_used,
    reason = "the helpers are test code too, which clippy.toml cannot see"
)]

mod bad_input;
mod batch;
mod calls;
mod ending;
mod fake;
mod handshake;
mod list;
mod peer;
mod people;
mod subscribe;
