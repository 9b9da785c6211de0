//! Saving and restoring state, with a real Chromium.

mod cookies;
mod network;
mod policies;
mod support;
mod tabs;
mod values;
