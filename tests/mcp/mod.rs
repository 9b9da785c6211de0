//! The MCP server as a process: what it says, what it survives, how it exits.

mod bad_input;
mod ending;
mod generations;
mod official_client;
mod official_sdks;
mod resources;
