//! Documents as szk sees and works them: everything is done from isolated worlds and by the input
//! that a person's mouse and keyboard would make, so that the page cannot tell.
//!
//! [`Page`] names a page and our sessions with it, [`snapshot`] reads it and keeps the refs,
//! [`extract`] says what is on it in other forms, [`forms`] what it asks for, [`act`] works its
//! elements, with the hand of [`input`], [`journal`] keeps what happened, [`picture`] draws refs on
//! pictures of it.
//! The crate knows sessions of CDP; it knows neither profiles nor processes nor operations.

mod dom;
mod gone;
mod page;

pub mod act;
pub mod extract;
pub mod forms;
pub mod input;
pub mod journal;
pub mod picture;
pub mod snapshot;
mod veil;

pub use gone::{is_gone, is_world_gone, was_gone};
pub use page::Page;
pub use szk_cdp::world::Thrown;
pub use veil::Veil;
