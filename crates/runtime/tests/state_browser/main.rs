//! Saving and restoring state, with a real Chromium.

#![allow(
    clippy::unwrap_used,
    reason = "the helpers of a test are as much a test"
)]

mod cookies;
mod network;
mod policies;
mod support;
mod tabs;
mod values;
