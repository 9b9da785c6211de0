//! Decides what is saved of a browser and what is restored into it.
//!
//! Everything that the decision depends on comes in (readings, Chromium's files, how the browser ended,
//! time), and what to write comes out. The crate has no dependencies, does no I/O and owns no clock, so
//! that `tests/` can run it against a model of Chromium's files through a hundred thousand crashes.
//!
//! In reading order: [`truth`] says who is right after which end, [`plan`] turns that into what to set
//! and what to remove, [`Gone`] remembers what was deleted. [`Watched`] says whether a reading comes from
//! the process that kept the data all along, [`Doubt`] holds one back in which everything is gone at once.
//! [`generations`] says which older states stay.

mod doubt;
pub mod generations;
mod gone;
mod plan;
mod truth;
mod watched;

pub use doubt::{Doubt, Verdict};
pub use gone::Gone;
pub use plan::{Chromium, Known, Plan, plan};
pub use truth::{Evidence, GAP, Millis, Truth, confirmed, truth};
pub use watched::{Source, Watched};
