//! The operations on sessions, a file each, through MCP and the terminal.

mod clone;
mod delete;
mod handoff;
mod list;
mod names;
mod open;
mod run_test;
mod slips;
mod state;
