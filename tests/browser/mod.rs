//! The operations on pages, a file each, through MCP.

mod arm;
mod batch;
mod emulate;
mod logs;
mod navigate;
mod pdf;
mod policy;
mod run_code;
mod screenshot;
mod tabs;
