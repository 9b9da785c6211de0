//! Chromium as szk keeps it: found, launched, made ordinary, saved and restored.
//!
//! This is the only crate that starts a browser. In reading order: [`find`] looks for the executable,
//! [`launch`] starts and ends it, [`stealth`] says what a target gets before its first script and
//! [`supervisor`] applies it, [`state`] saves and restores logins, and [`session`] holds it all together
//! for as long as a profile is open and shares it through `szk_endpoint`. [`library`] is the API for
//! Rust programs. The crate knows nothing of MCP, HTTP or terminals.

pub mod find;
pub mod launch;
pub mod stealth;
pub mod supervisor;

pub mod state;

pub mod session;

pub mod library;

pub mod testing;
