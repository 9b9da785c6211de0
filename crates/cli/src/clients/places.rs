//! Where AI clients keep their lists of MCP servers.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::Format;

/// AI clients whose configuration can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AiClient {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Codex
    Codex,
}

/// A file and its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// How it is written.
    pub(crate) format: Format,
}

/// A client's file: the user's, or with `project` the one in that folder. `None` if the client has
/// none for projects.
pub(crate) fn place(
    client: AiClient,
    home: &Path,
    config: &Path,
    project: Option<&Path>,
) -> Option<ClientFile> {
    let servers = |path: PathBuf| ClientFile {
        path,
        format: Format::Json {
            key: "mcpServers",
            typed: false,
        },
    };
    let typed = |path: PathBuf| ClientFile {
        path,
        format: Format::Json {
            key: "servers",
            typed: true,
        },
    };
    let toml = |path: PathBuf| ClientFile {
        path,
        format: Format::Toml,
    };
    Some(match (client, project) {
        (AiClient::ClaudeCode, None) => servers(home.join(".claude.json")),
        (AiClient::ClaudeCode, Some(dir)) => servers(dir.join(".mcp.json")),
        (AiClient::ClaudeDesktop, None) => {
            servers(config.join("Claude/claude_desktop_config.json"))
        }
        (AiClient::ClaudeDesktop, Some(_)) => return None,
        (AiClient::Cursor, None) => servers(home.join(".cursor/mcp.json")),
        (AiClient::Cursor, Some(dir)) => servers(dir.join(".cursor/mcp.json")),
        (AiClient::Vscode, None) => typed(config.join("Code/User/mcp.json")),
        (AiClient::Vscode, Some(dir)) => typed(dir.join(".vscode/mcp.json")),
        (AiClient::Codex, None) => toml(home.join(".codex/config.toml")),
        (AiClient::Codex, Some(dir)) => toml(dir.join(".codex/config.toml")),
    })
}
