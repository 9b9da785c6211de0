//! Acts on elements: finds them, waits until they can be acted on, works them with a [`InputDevice`] (the
//! input device), and watches what happens.
//!
//! Questions about a document are asked from an isolated world ([`world`]); nothing is written to the
//! document, and nothing waits for a fixed time. [`Actor::perform`] performs one [`Act`].
//!
//! [`InputDevice`]: crate::input::InputDevice

mod actor;
mod ahead;
mod aim;
mod carry;
mod changed_since;
mod click;
mod date;
mod drag;
mod elsewhere;
mod error;
mod events;
mod fill;
mod follow;
mod foresee;
mod frames;
mod intercept;
mod landing;
mod locate;
mod look;
mod outcome;
mod pointer;
mod screen;
mod scroll;
mod select;
mod settle;
mod target;
mod upload;
mod wait;
mod whereabouts;
mod world;

#[cfg(test)]
mod tests;

pub use actor::{Act, Actor, Did, Failed, Scene};
pub use click::Clicking;
pub use drag::DropAt;
pub use elsewhere::elsewhere;
pub use error::ActError;
pub use foresee::Foreseen;
pub use outcome::{Answering, Dialog, Download, Journey, Navigation, Outcome, Refusal};
pub use pointer::{Moving, let_go};
pub use scroll::Scroll;
pub use settle::BlockedByDialog;
pub use target::{FoundElement, NodeRef, Target};
pub use wait::{State, Wait};
pub use whereabouts::Rect;
pub use world::Worlds;
