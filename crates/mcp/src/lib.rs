//! The MCP front: every operation of the catalogue as a tool, over stdio.
//!
//! [`serve`] takes the process's stdin and stdout and speaks the Model Context Protocol on them
//! until the client goes away. The protocol itself is rmcp's; here are the tools ([`tools`], from
//! the catalogue and nothing else), resources and prompts, one call ([`call`]) with its progress, cancellation and
//! rendering, whom the client can ask ([`elicit`]), and the wire ([`wire`]), which is our own because a line that is no message must be
//! answered, not skipped, and must not end the server.
//!
//! This crate knows neither CDP nor profiles: it hands a [`szk_tools::Call`] to a [`Caller`].

mod call;
mod caller;
mod elicit;
mod info;
mod prompts;
mod render;
mod resources;
mod serve;
mod server;
mod signals;
mod stdio;
mod tools;
mod wire;

pub use caller::Caller;
pub use serve::{ServeError, serve, serve_on};
pub use signals::Signal;
pub use tools::Tools;
