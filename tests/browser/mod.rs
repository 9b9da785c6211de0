//! The operations on pages, a file each, through MCP.

mod emulate;
mod navigate;
mod pdf;
mod run_code;
mod screenshot;
mod tabs;
