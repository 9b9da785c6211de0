//! The detector suite (`crates/detectors`), run in the browser as szk has it and in the same browser
//! started by hand, which is *gold*.
//!
//! Reading order: [`gold`] (the browser without szk), [`lab`] (visits and the report that they make
//! together), then the tests.

mod controls;
mod gold;
mod lab;
mod ordinary;
mod shared;

pub(crate) use lab::Lab;
