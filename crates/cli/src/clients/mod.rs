//! AI clients' configuration files: adds szk's entry and leaves everything else alone.

mod edit;
mod places;
mod write;

pub(crate) use edit::{EditError, Entry, Format, edited};
pub(crate) use places::{AiClient, place};
pub(crate) use write::replace;
