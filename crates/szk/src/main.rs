//! The `szk` binary: puts the parts together and does nothing else.

mod mcp_over_http;

use std::process::ExitCode;

use szk_cli::Host;
use szk_mcp::{ServeError, Tools};
use szk_server::{McpMaker, ServeOptions, TlsFiles};
use szk_tools::{Code, Failure};

fn main() -> ExitCode {
    szk_cli::main_impl(Host {
        keeper_detached: || Box::pin(szk_keeper::detached()),
        keeper_foreground: |start, on_progress, on_ready| {
            Box::pin(async move { szk_keeper::foreground(start, &*on_progress, on_ready).await })
        },
        mcp: |client, choice| {
            Box::pin(async move {
                let names: Option<Vec<&str>> = choice
                    .names
                    .as_ref()
                    .map(|names| names.iter().map(String::as_str).collect());
                let mut tools = match names {
                    Some(names) => Tools::only(&names)?,
                    None => Tools::usual()?,
                };
                if !choice.output_schemas {
                    tools = tools.without_output_schemas();
                }
                szk_mcp::serve(client, tools)
                    .await
                    .map_err(|error| ended(&error))
            })
        },
        serve: |ask, on_ready| {
            Box::pin(async move {
                let options = ServeOptions {
                    address: ask.address,
                    hosts: ask.hosts,
                    origins: ask.origins,
                    behind_proxy: ask.behind_proxy,
                    tls: ask.tls.map(|(cert, key)| TlsFiles { cert, key }),
                };
                let mcp: McpMaker = Box::new(mcp_over_http::handler);
                Ok(szk_server::serve(ask.clients, options, Some(mcp), on_ready).await?)
            })
        },
        leash: |command| Box::pin(szk_keeper::leash(command)),
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
