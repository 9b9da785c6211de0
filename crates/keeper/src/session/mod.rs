//! Handlers of `session_*`.

mod close;
mod endpoint;
mod open;
mod snippets;
mod state;

pub(crate) use close::close;
pub(crate) use endpoint::endpoint;
pub(crate) use open::open;
pub(crate) use state::state;
