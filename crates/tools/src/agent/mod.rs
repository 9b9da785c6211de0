//! Operations that ask a model of szk's own.

mod run;

pub use run::{Run, RunInput, RunOutput, Tokens};
