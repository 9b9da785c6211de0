//! Documents as szk sees and works them: everything is done from isolated worlds and by the input
//! that a person's mouse and keyboard would make, so that the page cannot tell.
//!
//! [`snapshot`] reads the page, [`act`] works its elements, with the hand of [`input`].
//! The crate knows sessions of CDP; it knows neither profiles nor processes nor operations.

pub mod act;
pub mod input;
pub mod snapshot;
