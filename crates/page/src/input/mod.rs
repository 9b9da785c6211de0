//! Mouse and keyboard input like a person's.
//!
//! Everything that a page sees is a trusted event, most of them of CDP's `Input` domain with the details of
//! real devices: whole pixels, pressure on a pressed button, Shift around capitals, the right key codes. A
//! [`InputDevice`] is the input device of one tab and remembers where its pointer is. [`Pace`] says whether
//! it also takes a person's time: the path of the pointer, how long a button is held, the rhythm of
//! typing. Where szk has a display of its own, the mouse of a person is that display's (`screen`). Those are drawn from distributions that belong to a [`Person`], who stays the same for a
//! profile's whole life.

mod chord;
mod device;
mod event;
mod keyboard;
mod keys;
mod layout;
mod mouse;
mod on_screen;
mod path;
mod person;
mod random;
mod screen;
mod strokes;

pub use chord::{Chord, Modifier, NotAKey};
pub use device::{HandState, InputDevice, InputDevices, KeptDrag};
pub use event::{Ack, Button};
pub use layout::{Layout, UnknownLayout};
pub use mouse::Turn;
pub use person::Person;
pub(crate) use screen::{NoMouse, Seen, Viewport};

/// Whether input takes as long as a person would.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pace {
    /// The same events, without delays.
    #[default]
    Fast,
    /// With a pointer path and a person's timing.
    Human,
}
