//! Documents as szk sees and works them: everything is done from isolated worlds and by the input
//! that a person's mouse and keyboard would make, so that the page cannot tell.
//!
//! [`snapshot`] reads the page, [`input`] acts on it, [`journal`] keeps what happened.
//! The crate knows sessions of CDP; it knows neither profiles nor processes nor operations.

pub mod input;
pub mod journal;
pub mod snapshot;
