//! Mouse and keyboard as a person works them.
//!
//! Everything a page gets to see is a trusted event of CDP's `Input` domain, with what real devices
//! put into it: whole pixels, pressure on a pressed button, Shift around capitals, the right key codes.
//! A [`Hand`] works one tab and remembers where its pointer is. [`Pace`] says whether it also takes a
//! person's time: the path of the pointer, how long a button is held, the rhythm of typing. Those are
//! drawn from distributions that belong to a [`Person`], who is the same for a profile's whole life.

mod chord;
mod event;
mod hand;
mod keyboard;
mod keys;
mod layout;
mod mouse;
mod path;
mod person;
mod random;
mod strokes;

pub use chord::{Chord, Modifier, NotAKey};
pub use event::{Ack, Button};
pub use hand::{Hand, Hands, Held};
pub use layout::{Layout, UnknownLayout};
pub use person::Person;

/// Whether input takes the time that a person takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pace {
    /// The same events, without waiting between them.
    #[default]
    Fast,
    /// With a path of the pointer, and the times of a hand.
    Human,
}
