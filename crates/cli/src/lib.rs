//! The terminal front end: parses arguments, calls an operation, renders its answer.
//!
//! stdout carries only the answer, stderr carries talk, and every failure ends as one exit code. A
//! command that is one operation is derived from it (`operation/`); `commands/` has the table of all. This crate knows neither
//! Chromium nor the keeper: what must run in this very process (a foreground keeper, the MCP server,
//! the checks of `szk doctor`) comes in as a [`Host`].

pub mod host;
pub mod manual;

mod args;
mod clients;
mod command;
mod commands;
mod complete;
mod context;
mod error;
mod exit;
mod groups;
mod init;
mod operation;
mod progress;
mod render;
mod run;
mod ui;
mod words;

pub use args::command;
pub use host::{BoxFuture, Host, OnProgress, OnReady, OnServing, ServeAsk};
pub use run::{main_impl, run};
