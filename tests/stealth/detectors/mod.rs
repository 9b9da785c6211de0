//! The detector suite (`crates/detectors`), run in szk's browser and in the same browser started by
//! hand, which is *gold*.
//!
//! Reading order: [`gold`] (the browser without szk), [`lab`] (visits and their common report), then
//! the tests.

mod controls;
mod gold;
mod lab;
mod ordinary;
mod shared;
mod working;

pub(crate) use gold::{ByHand, POSITION};
pub(crate) use lab::Lab;
pub(crate) use ordinary::config;
