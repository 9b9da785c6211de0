//! The HTTP front end: every operation of the catalogue under `/v1`, for programs in any language.
//!
//! Routes, inputs, answers and the description of the API all come from the catalogue: no code here knows
//! an operation by its name, but for `cdp`, which asks for the address of a session's endpoint. What a
//! network needs is here and nowhere else: tokens and what they allow ([`access`]), pages of other origins ([`cors`]), requests read into
//! calls ([`request`]), also those that bring files ([`upload`]), answers as JSON, bytes, text or events ([`reply`], [`events`]), files and archives of profiles ([`files`]), what the person who runs the server does ([`admin`]), what happens in a
//! session ([`session_events`]), how much may go on at once ([`limits`], with its [`queue`] and [`rate`]),
//! how long an unused session stays open ([`activity`]), which clients are there ([`presence`]), how it ends without interrupting them ([`drain`]), the
//! tunnel to its DevTools endpoint ([`cdp`]) and to the live view of a hand-off ([`live_view`], both by
//! [`proxy`]), how long a connection may take
//! ([`connections`]) and how it ends ([`lingering`]), what encrypts it ([`tls`]), and what a bug costs ([`panics`]).
//! [`dashboard`] is the page for people.

mod access;
mod activity;
mod admin;
mod app;
mod cdp;
mod connections;
mod cors;
mod dashboard;
mod drain;
mod error;
mod events;
mod files;
mod heard;
mod idempotency;
mod limits;
mod lingering;
mod listen;
mod live_view;
mod mcp;
mod metrics;
mod openapi;
mod panics;
mod presence;
mod proxy;
mod queue;
mod rate;
mod reference;
mod reply;
mod request;
mod routes;
mod serve;
mod session_events;
mod status;
mod tls;
mod upload;

pub use listen::ServeError;
pub use mcp::{McpHandler, McpMaker, TokenCaller};
pub use openapi::document as openapi;
pub use reference::markdown as reference;
pub use serve::{ServeOptions, serve};
pub use tls::{TlsError, TlsFiles};
