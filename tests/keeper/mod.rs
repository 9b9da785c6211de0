//! The process that owns a profile: how it starts, what it saves, how it exits.

mod frozen;
mod idle;
mod lasting;
mod linger;
mod log;
mod logins;
mod questions;
mod races;
mod recovery;
mod restoring;
mod starting;
