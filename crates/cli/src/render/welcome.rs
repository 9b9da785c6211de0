//! What `szk` without a command prints.

/// Three commands are enough to get started; the rest is one step away.
pub(crate) const TEXT: &str = "\
szk keeps browsers: named profiles that stay logged in, shared by people,
AI agents and scripts at the same time.

  szk open work https://example.com    open the profile `work`, or join it
  szk run work -- node app.mjs         run a script on that same browser
  szk mcp                              serve AI clients (MCP over stdio)

All commands: szk --help";
