//! `szk mcp`

use std::sync::Arc;

use clap::Args;

use crate::Host;
use crate::args::Global;
use crate::context::{self, Presence};
use crate::error::Outcome;
use crate::exit::Exit;

/// Serve AI clients over stdin and stdout (MCP)
///
/// Started by the AI client. Its browsers stay with their keepers when it ends.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  claude mcp add szk -- szk mcp")]
pub(crate) struct McpArgs {}

impl McpArgs {
    pub(super) async fn run(self, global: &Global, host: Host) -> Outcome {
        let client = context::client(global, "mcp", Presence::Stay)?;
        (host.mcp)(Arc::new(client)).await?;
        Ok(Exit::OK)
    }
}
