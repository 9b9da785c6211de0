//! The MCP front end: every operation of the catalogue as a tool, over stdio and HTTP.
//!
//! [`serve`] takes over the process's stdin and stdout and speaks the Model Context Protocol on them
//! until the client goes away; [`Http`] answers requests that an HTTP server passes on. rmcp implements the protocol itself; this crate has the tools
//! ([`tools`], straight from the catalogue), resources, what changes in them ([`follow`]), prompts and
//! skills, one call ([`call`]) with its
//! progress, cancellation and rendering, questions to the client's user ([`elicit`]), calls that the
//! client asks for later ([`tasks`]), and the wire
//! ([`wire`]). The wire is our own because a line that is not a message must be answered, not skipped,
//! and must not end the server.
//!
//! This crate knows neither CDP nor profiles: it passes a [`szk_tools::Call`] to a [`Caller`].

mod call;
mod caller;
mod cursor;
mod elicit;
mod follow;
mod http;
mod info;
mod prompts;
mod recipe_prompts;
mod render;
mod resources;
mod serve;
mod server;
mod signals;
mod skills;
mod stdio;
mod subscriptions;
mod tasks;
mod tools;
mod wire;

pub use caller::Caller;
pub use http::Http;
pub use serve::{ServeError, serve, serve_on};
pub use server::Server;
pub use signals::Signal;
pub use tasks::{Running, Tasks};
pub use tools::Tools;
