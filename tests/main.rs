//! End-to-end tests: the real program, real Chromium, real clients, a local site.
//!
//! Reading order: [`harness`], then any test; each is in the file its name suggests. [`invariants`]
//! checks the source itself, without running it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends where it fails, and says why"
)]

mod agent;
mod alone;
mod browser;
mod cli;
mod clients;
mod damage;
mod docs;
mod harness;
mod invariants;
mod keeper;
mod mcp;
mod profiles;
mod recipes;
mod serve;
mod session;
mod sharing;
mod stealth;
mod workflows;
