//! Handlers of `session_*`.

mod close;
mod endpoint;
mod handoff;
mod open;
mod run_test;
mod snippets;
mod state;

pub(crate) use close::close;
pub(crate) use endpoint::endpoint;
pub(crate) use handoff::handoff;
pub(crate) use open::open;
pub(crate) use run_test::run_test;
pub(crate) use state::state;
