//! Turns answers into text with pure functions, colour included; the streams strip the colour where it
//! is unwanted. Text from pages and files passes through [`text::printable`] first.

pub(crate) mod card;
pub(crate) mod checks;
pub(crate) mod content;
pub(crate) mod endpoint;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod failure;
pub(crate) mod human;
pub(crate) mod inspect;
pub(crate) mod sessions;
pub(crate) mod spoken;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod welcome;
