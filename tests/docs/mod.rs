//! The documentation: its links work, the book is complete, and its commands do what they say.
//!
//! [`markdown`] reads documents, [`commands`] finds the commands in them, [`lists`] has substitutes
//! for what a test cannot have, [`site`] has the pages and files that documents mention, and
//! [`reader`] does what a reader would.

mod book;
mod commands;
mod lists;
mod markdown;
mod programs;
mod reader;
mod site;

use markdown::Document;

/// Documents whose commands are run, in the order people meet them. Each has a test in [`reader`].
const FOLLOWED: [&str; 15] = [
    "README.md",
    "docs/README.md",
    "docs/quick-start.md",
    "docs/profiles.md",
    "docs/durability.md",
    "docs/workflows.md",
    "docs/agent.md",
    "docs/sharing.md",
    "docs/endpoint.md",
    "docs/server.md",
    "docs/stealth.md",
    "docs/safety.md",
    "docs/faq.md",
    "docs/reference/cli.md",
    "docs/skill/SKILL.md",
];

/// Chapters without commands.
const WITHOUT: [&str; 7] = [
    "docs/mcp.md",
    "docs/eval.md",
    "docs/tasks.md",
    "docs/recipes.md",
    "docs/reference/mcp.md",
    "docs/reference/http.md",
    "docs/reference/config.md",
];

fn followed() -> Vec<Document> {
    FOLLOWED.iter().map(|path| Document::read(path)).collect()
}
