//! Decides what to save of a browser and what to restore into it.
//!
//! Everything the decision depends on comes in (readings, Chromium's files, how the browser ended,
//! time), and what to write comes out. The crate has no dependencies, does no I/O and owns no clock,
//! so `tests/` can run it against a model of Chromium's files through a hundred thousand crashes.
//!
//! In reading order: [`truth`] says which copy to trust after which kind of exit, [`plan`] turns that
//! into what to set and what to remove, [`Gone`] remembers deletions. [`Watched`] says whether a
//! reading comes from the process that kept the data all along, [`Doubt`] holds back a reading in
//! which everything is gone at once. [`generations`] says which older states to keep.

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
