//! Reads pages and acts in them, only from isolated worlds and with the input that a person's mouse
//! and keyboard would produce, so the page cannot tell.
//!
//! [`Page`] names a page and our sessions with it, and [`Worlds`] runs scripts of ours in pages.
//! [`document`] is what a page shows, [`navigation`] how it gets there. [`snapshot`] reads it and keeps
//! the refs, [`extract`] returns its content in other forms, [`forms`] what it asks for. [`act`] acts on
//! its elements with the [`input`] device, [`manual`] sees what a person does, and [`prompts`] answers its
//! dialogs. [`screenshot`], [`pdf`],
//! [`emulation`] and [`run_code`] do what their names say; [`picture`] draws refs on screenshots.
//! [`event_log`] is the event log. The crate knows CDP sessions; it knows neither profiles nor processes
//! nor operations.

mod dom;
mod gone;
mod page;
mod redactor;
mod worlds;

pub mod act;
pub mod crawl;
pub mod document;
pub mod emulation;
pub mod event_log;
pub mod extract;
pub mod forms;
pub mod input;
pub mod manual;
pub mod navigation;
pub mod pdf;
pub mod picture;
pub mod prompts;
pub mod run_code;
pub mod screenshot;
pub mod snapshot;

#[cfg(test)]
mod testing;

pub use gone::{is_gone, is_world_gone, was_gone};
pub use page::Page;
pub use redactor::Redactor;
pub use szk_cdp::world::Thrown;
pub use worlds::Worlds;
