//! The operations on pages, a file each, through MCP.

mod navigate;
mod run_code;
mod screenshot;
