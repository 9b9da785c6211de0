//! One client: a WebSocket on one side, a browser session of its own on the other.
//!
//! One task owns the whole state of a client and handles one thing at a time, so that replies and events
//! leave in the order in which they came off the pipe: if replies overtook events, Puppeteer would hang.
//! A second task only writes to the socket; a client that does not read fills only its own outbox.

mod attach;
mod bounds;
mod client;
mod commands;
mod downloads;
mod end;
mod foreground;
mod lifecycle;
mod ours;
mod outbox;
mod own_tabs;
mod pending;
mod refusals;
mod run;
mod shielded;
mod tab_order;
mod targets;
mod windows;

pub(super) use attach::{AttachError, attach};
pub(super) use client::ClientOptions;
pub(super) use run::run;
