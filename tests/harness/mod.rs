//! The harness: surroundings, programs, clients, sites.
//!
//! A test makes a [`TestEnv`] and starts everything through it, so that tests can run side by side and
//! nothing is left when one ends, however it does.

mod disk;
mod display;
mod env;
pub(crate) mod http;
mod login;
pub(crate) mod mcp;
pub(crate) mod node;
mod pictures;
pub(crate) mod process;
mod program;
mod project;
mod running;
mod site;
mod wait;

pub(crate) use disk::{Frozen, ReadOnly, SmallDisk, give_away};
pub(crate) use display::Display;
pub(crate) use env::TestEnv;
pub(crate) use login::LoginSite;
pub(crate) use mcp::Mcp;
pub(crate) use node::{Driver, script};
pub(crate) use program::Ended;
pub(crate) use running::Running;
pub(crate) use rustix::process::Signal;
pub(crate) use site::{Answer, Asked, Site};
pub(crate) use wait::{PATIENTLY, SOON, wait_for, wait_until};
