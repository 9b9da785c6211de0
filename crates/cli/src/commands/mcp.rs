//! `szk mcp`

use std::sync::Arc;

use clap::{Args, Subcommand};

use szk_client::Identity;

use super::mcp_install::InstallArgs;
use crate::command::{ByHand, Called};
use crate::context::{self, Presence};
use crate::error::Outcome;
use crate::exit::Exit;
use crate::host::ToolChoice;

/// Serve AI clients over stdin and stdout (MCP)
///
/// The AI client starts this. Its browsers stay with their keepers when it exits.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  szk mcp install claude-desktop\n  claude mcp add szk -- szk mcp\n  szk mcp --tools default,browser_pdf"
)]
pub(crate) struct McpArgs {
    /// Only these tools: sets (default, all, session, workflow, recipe, browser, test) and single names
    ///
    /// Without this, the client sees what most tasks need and may call everything.
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// Do not declare what each tool answers
    ///
    /// For clients that pass output schemas on to the model. The answers stay the same.
    #[arg(long)]
    no_output_schemas: bool,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    Install(InstallArgs),
}

impl ByHand for McpArgs {
    const NAME: &'static str = "mcp";

    async fn run(self, called: Called) -> Outcome {
        let global = &called.global;
        let host = called.host;
        if let Some(Action::Install(args)) = self.action {
            return args.run(global);
        }
        let client = context::client(global, Identity::of_connection("mcp", 1), Presence::Stay)?
            .with_tasks(szk_agent::over_mcp);
        let choice = ToolChoice {
            names: self.tools,
            output_schemas: !self.no_output_schemas,
        };
        (host.mcp)(Arc::new(client), choice).await?;
        Ok(Exit::OK)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_help_names_every_set() {
        let command = crate::args::command();
        let tools = command.find_subcommand("mcp").and_then(|mcp| {
            mcp.get_arguments()
                .find(|arg| arg.get_id() == "tools")?
                .get_help()
        });
        let help = tools.map(ToString::to_string).unwrap_or_default();
        for (set, _) in szk_tools::SETS {
            assert!(help.contains(set), "{set}: {help}");
        }
    }
}
