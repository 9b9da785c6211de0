//! The keeper: the one process that owns an open profile, and answers its operations.
//!
//! It opens the profile through `szk_runtime`, listens on a Unix socket, and carries out each
//! [`szk_tools::Call`] with one handler, in `session`, `browser` and `workflow`. It ends when it is asked to, when a
//! person closes the last window, when nobody has needed it for a while, or on a signal; it saves first,
//! and it never leaves a browser behind.

mod answer;
mod bound;
mod clients;
mod context;
mod dialogs;
mod failure;
mod handle;
mod handoff;
mod journal;
mod lifetime;
mod log;
mod meanwhile;
mod policy;
mod program;
mod run;
mod server;
mod signals;
mod veiled;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod testing;

mod browser;
mod session;
mod workflow;

mod doctor;

pub use doctor::doctor;
pub use program::leash;
pub use run::{detached, foreground};
