//! The `szk` binary: puts the parts together and does nothing else.

use std::process::ExitCode;

use szk_cli::Host;
use szk_mcp::ServeError;
use szk_tools::{Code, Failure};

fn main() -> ExitCode {
    szk_cli::main_impl(Host {
        keeper_detached: || Box::pin(szk_keeper::detached()),
        keeper_foreground: |start, on_progress, on_ready| {
            Box::pin(async move { szk_keeper::foreground(start, &*on_progress, on_ready).await })
        },
        mcp: |client| {
            Box::pin(async move { szk_mcp::serve(client).await.map_err(|error| ended(&error)) })
        },
        doctor: |ask| Box::pin(szk_keeper::doctor(ask)),
    })
}

/// How the end of the MCP server is told on stderr.
fn ended(error: &ServeError) -> Failure {
    match error {
        ServeError::Interrupted => Failure::new(Code::Cancelled, "interrupted"),
        other => Failure::internal(other.to_string()),
    }
}
