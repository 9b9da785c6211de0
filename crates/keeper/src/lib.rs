//! The keeper: the one process that owns an open profile, and answers its operations.
//!
//! It opens the profile through `szk_runtime`, listens on a Unix socket, and runs each
//! [`szk_tools::Call`] with one handler, in `session`, `browser` and `workflow`. It exits when asked to,
//! when a person closes the last window, when no one has needed it for a while, or on a signal. It saves
//! first, and never leaves a browser behind.

mod answer;
mod approval;
mod audit;
mod bound;
mod clients;
mod context;
mod dialogs;
mod event_log;
mod events;
mod failure;
mod handle;
mod handoff;
mod lifetime;
mod log;
mod notices;
mod policy;
mod program;
mod redacted;
mod run;
mod server;
mod sharing;
mod signals;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod testing;

mod acts;
mod browser;
mod recipe;
mod session;
mod workflow;

mod doctor;

pub use doctor::doctor;
pub use program::leash;
pub use run::{detached, foreground};
