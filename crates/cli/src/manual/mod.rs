//! Reference pages and the skill file, generated from the code.
//!
//! They are committed in `docs/`; a test compares them, so the docs match the code.

mod cli;
mod config;
mod mcp;
mod skill;

pub use cli::cli;
pub use config::config;
pub use mcp::mcp;
pub use skill::skill;

/// Repository path and text of every generated file.
#[must_use]
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("docs/skill/SKILL.md", skill()),
        ("docs/reference/mcp.md", mcp()),
        ("docs/reference/cli.md", cli()),
        ("docs/reference/config.md", config()),
    ]
}

/// Warns that manual edits get lost.
const GENERATED: &str = "<!-- Written by szk itself; `scripts/bless` writes it again. -->\n";

/// Text that is safe in a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
