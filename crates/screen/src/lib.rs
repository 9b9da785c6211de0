//! The mouse of an X server that szk has started for one browser.
//!
//! [`Screen`] is a client of that server. It moves the pointer and presses buttons through the XTEST
//! extension, whose events no program can tell from those of a device, and it says which window they reach.
//! It knows pixels of the screen; what a page is and where it lies in its window is for others to know.
//!
//! In reading order: [`screen`] the handle and whose turn it is, [`client`] what is asked of the server.

mod client;
mod screen;

pub use client::{Front, Pointer, ScreenError};
pub use screen::{Screen, Turn};
