//! Reads pages and acts in them, only from isolated worlds and with the input that a person's mouse
//! and keyboard would produce, so the page cannot tell.
//!
//! [`Page`] names a page and our sessions with it, [`snapshot`] reads it and keeps the refs,
//! [`extract`] returns its content in other forms, [`forms`] what it asks for, [`act`] acts on its
//! elements with the [`input`] device, [`event_log`] keeps what happened, [`picture`] draws refs on
//! screenshots. The crate knows CDP sessions; it knows neither profiles nor processes nor operations.

mod dom;
mod gone;
mod page;

pub mod act;
pub mod event_log;
pub mod extract;
pub mod forms;
pub mod input;
pub mod picture;
mod redactor;
pub mod snapshot;

pub use gone::{is_gone, is_world_gone, was_gone};
pub use page::Page;
pub use redactor::Redactor;
pub use szk_cdp::world::Thrown;
