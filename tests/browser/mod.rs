//! The operations on pages, a file each, through MCP.

mod act;
mod extract;
mod find;
mod navigate;
mod run_code;
mod screenshot;
mod snapshot;
mod snapshot_oracle;
mod snapshot_unseen;
