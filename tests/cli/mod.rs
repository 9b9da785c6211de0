//! The terminal: what goes to which stream, and how it exits.

mod completions;
mod config;
mod doctor;
mod endpoint;
mod init;
mod install;
mod open;
mod run;
mod spoken;
mod usage;
mod words;
