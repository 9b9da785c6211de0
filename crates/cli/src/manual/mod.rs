//! Reference pages and the skill file, written from what the code says of itself.
//!
//! They are committed in `docs/`; a test compares them, so that what is in the code is in the docs.

mod cli;
mod config;
mod mcp;
mod skill;

pub use cli::cli;
pub use config::config;
pub use mcp::mcp;
pub use skill::skill;

/// Path in the repository and text of every generated file.
#[must_use]
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("docs/skill/SKILL.md", skill()),
        ("docs/reference/mcp.md", mcp()),
        ("docs/reference/cli.md", cli()),
        ("docs/reference/config.md", config()),
    ]
}

/// Says that an edit by hand would not last.
const GENERATED: &str = "<!-- Written by szk itself; `scripts/bless` writes it again. -->\n";

/// Text that is safe in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
