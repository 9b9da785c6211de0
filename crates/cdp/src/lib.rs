//! The DevTools protocol over a pipe: one connection, many sessions, several owners.
//!
//! [`Connection`] sends typed commands and hands out events. One reader task and one writer task
//! own the two ends of the pipe; everything else is a cheap handle. What arrives belongs either to
//! the default owner (the supervisor, which holds the root session) or to a [`Member`] (a client
//! of the shared endpoint). Nothing here knows Chromium's process, profiles or tools.

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
pub use reply::Reply;
mod subscription;
pub use subscription::{Events, Subscription, SubscriptionError};
mod member;
pub use member::{Inbound, Inbox, Member};

pub mod frames;
pub mod lenient;
pub mod uncaught;
pub mod world;

mod envelope;
mod framing;
mod pending;
mod queue;
mod reader;
mod sessions;
mod state;
mod writer;

pub mod testing;

pub use chromiumoxide_cdp::cdp as protocol;
pub use chromiumoxide_types::{Command, Method, MethodType};
