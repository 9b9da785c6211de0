//! The operations on pages, a file each, through MCP.

mod find;
mod navigate;
mod run_code;
mod screenshot;
mod snapshot;
