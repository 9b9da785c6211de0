//! The endpoint against a scripted browser, with real sockets.

mod attaching;
mod contexts;
mod fuzz;
mod http;
mod lifetime;
mod policy;
mod protocol;
mod rig;
mod rules;
mod shield;
mod tab_order;
mod windows;
