//! The operations on pages, a file each, through MCP.

mod act;
mod arm;
mod batch;
mod dialogs;
mod emulate;
mod extract;
mod find;
mod hard;
mod holding;
mod hostile;
mod logs;
mod logs_uncaught;
mod navigate;
mod pdf;
mod policy;
mod run_code;
mod run_ends;
mod run_file;
mod run_test;
mod run_trouble;
mod screenshot;
mod sizes;
mod snapshot;
mod snapshot_oracle;
mod snapshot_unseen;
mod tabs;
