//! One client: a WebSocket on one side, a browser session of its own on the other.
//!
//! One task owns everything of a client and takes one thing at a time, so that replies and events
//! leave in the order in which they came off the pipe: with replies overtaking events, Puppeteer
//! hangs. A second task only writes to the socket; a client that does not read fills its own outbox
//! and nobody else's.

mod attach;
mod bounds;
mod client;
mod commands;
mod downloads;
mod end;
mod foreground;
mod lifecycle;
mod outbox;
mod own_tabs;
mod pending;
mod run;
mod shielded;
mod tab_order;
mod targets;
mod windows;

pub(super) use attach::{AttachError, attach};
pub(super) use client::ClientOptions;
pub(super) use run::run;
