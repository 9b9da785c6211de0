//! Acting on elements: found, looked at until they can be acted on, worked by a [`Hand`], and watched
//! for what comes of it.
//!
//! What has to be known of a document is asked in an isolated world ([`world`]); nothing is written to
//! the document, and nothing waits for a fixed time. [`Actor::perform`] carries out one [`Act`].
//!
//! [`Hand`]: crate::input::Hand

mod actor;
mod aim;
mod click;
mod date;
mod drag;
mod error;
mod events;
mod fill;
mod frames;
mod intercept;
mod landing;
mod locate;
mod look;
mod outcome;
mod scroll;
mod select;
mod settle;
mod target;
mod upload;
mod wait;
mod whereabouts;
mod world;

pub use actor::{Act, Actor, Did, Failed, Scene};
pub use click::Clicking;
pub use error::ActError;
pub use outcome::{Answering, Dialog, Download, Journey, Navigation, Outcome};
pub use scroll::Scroll;
pub use settle::Asked;
pub use target::{NodeRef, Target};
pub use wait::{State, Wait};
pub use whereabouts::Rect;
pub use world::Worlds;
