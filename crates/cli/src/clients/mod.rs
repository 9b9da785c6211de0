//! AI clients and their configuration files: szk's entry goes in, everything else stays as it is.

mod edit;
mod places;
mod write;

pub(crate) use edit::{EditError, Entry, Format, edited};
pub(crate) use places::{AiClient, place};
pub(crate) use write::replace;
