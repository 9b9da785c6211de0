//! The DevTools protocol over a pipe: one connection, many sessions, several owners.
//!
//! [`Connection`] sends typed commands ([`protocol`], or [`own`] for those that it lacks), reads answers
//! by small types of the caller's ([`json`]), and passes on events. One reader task and one writer task
//! own the two ends of the pipe; everything else is a cheap handle. What arrives belongs either to the
//! default owner (the supervisor, which holds the root session) or to a [`Member`] (a client of the
//! shared endpoint). Nothing here knows Chromium's process, profiles or tools.

mod error;
pub use error::{CallError, CloseReason, RemoteError, SendError};
mod session;
pub use session::SessionId;
mod event;
pub use event::Event;
mod params;
pub use params::raw;

mod connection;
mod crash;
pub use connection::Connection;
mod reply;
pub use reply::{Done, Reply, Undoable};
mod request;
pub use request::Request;
mod subscription;
pub use subscription::{Events, Subscription, SubscriptionError};
mod member;
pub use member::{Inbound, Inbox, Member};

pub mod frames;
pub mod json;
pub mod net_error;
pub mod own;
pub mod uncaught;
pub mod world;

mod envelope;
mod framing;
mod input_clock;
mod pending;
mod queue;
mod reader;
mod sessions;
mod state;
mod writer;

pub mod testing;

/// Commands and events by domain, from `chromiumoxide`. We send its commands, but read answers and
/// events by small types of the caller's; of the events only the names are used.
pub mod protocol {
    pub use chromiumoxide_cdp::cdp::browser_protocol::*;
    pub use chromiumoxide_cdp::cdp::js_protocol::runtime;
}
pub use chromiumoxide_types::{Command, Method, MethodType};
