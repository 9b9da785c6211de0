//! The harness: environments, programs, clients, sites.
//!
//! A test creates a [`TestEnv`] and starts everything through it, so tests can run side by side and
//! nothing is left when one ends, however it ends.

mod disk;
mod display;
mod env;
mod folder;
pub(crate) mod http;
mod lease;
mod login;
pub(crate) mod mcp;
pub(crate) mod node;
mod pictures;
pub(crate) mod process;
mod program;
mod project;
mod running;
mod schema;
mod site;
mod wait;
mod watchdog;
mod xtest;

pub(crate) use disk::{Frozen, ReadOnly, SmallDisk, give_away};
pub(crate) use display::Display;
pub(crate) use env::TestEnv;
pub(crate) use lease::Lease;
pub(crate) use login::LoginSite;
pub(crate) use mcp::Mcp;
pub(crate) use node::{Driver, script};
pub(crate) use program::{Ended, Szk};
pub(crate) use running::Running;
pub(crate) use rustix::process::Signal;
pub(crate) use site::{Answer, Plan, Site, SiteRequest};
pub(crate) use wait::{PATIENTLY, SOON, look_for, wait_for, wait_until};
pub(crate) use xtest::Hands;
