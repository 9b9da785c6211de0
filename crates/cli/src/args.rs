//! The command line as a whole; each command's own arguments are in its file.

use std::ffi::OsString;
use std::path::PathBuf;

use anstream::ColorChoice;
use anstyle::AnsiColor;
use clap::builder::{Styles, ValueHint};
use clap::{Args, CommandFactory, Parser, ValueEnum};

use crate::{commands, groups};

/// The browser that AI agents and scripts keep
///
/// szk opens named browser profiles that stay logged in and that several clients share at the same
/// time: people, AI agents over MCP, Playwright and Puppeteer scripts.
#[derive(Debug, Parser)]
#[command(
    name = "szk",
    version,
    max_term_width = 80,
    styles = STYLES,
    subcommand_value_name = "COMMAND",
    after_help = "Command names from other tools work too, such as `szk goto`, `szk click` and `szk eval`.\n\nExamples:\n  szk open work https://example.com\n  szk run work -- node app.mjs\n  szk mcp"
)]
pub(crate) struct Cli {
    /// Understood by every command.
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options that every command understands.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Folder of the profiles [default: SZK_STORE, `[store] path` of the configuration, or the user's
    /// data folder]
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) store: Option<PathBuf>,
    /// Name of the client that calls: calls of one name share their tabs [default: SZK_CLIENT, or the
    /// terminal session]
    #[arg(long = "client", global = true, value_name = "NAME")]
    pub(crate) client_name: Option<String>,
    /// Print the answer as one JSON object on stdout, or a failure as one on stderr
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only answers, warnings and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true
    )]
    pub(crate) color: Color,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Even when writing to a pipe or file
    Always,
    /// Never
    Never,
}

impl Global {
    /// The choices that matter for an error in the arguments, as far as they are visible before these are parsed.
    pub(crate) fn early(args: &[OsString]) -> Self {
        let mut ours = args.iter().take_while(|word| *word != "--");
        Self {
            json: ours.any(|word| word == "--json"),
            color: Color::early(args),
            ..Self::default()
        }
    }
}

impl Color {
    /// The choice, as far as it is visible before the arguments are parsed.
    pub(crate) fn early(args: &[OsString]) -> Self {
        let words: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
        let ours = words.iter().take_while(|word| **word != "--");
        let after = |(i, word): (usize, &&str)| match word.strip_prefix("--color") {
            Some("") => words.get(i + 1).copied().map(str::to_owned),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        let named = ours.enumerate().filter_map(after).last();
        named
            .and_then(|name| Self::from_str(&name, false).ok())
            .unwrap_or_default()
    }

    /// The choice as clap's type.
    pub(crate) fn clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }

    /// Applies the choice to this process.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// The command line as clap sees it, for help, completion and reference pages.
pub fn command() -> clap::Command {
    groups::grouped(commands::added(Cli::command()))
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn colour_is_known_before_parsing() {
        let early = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            Color::early(&args)
        };
        assert_eq!(early("szk list"), Color::Auto);
        assert_eq!(early("szk --color never list"), Color::Never);
        assert_eq!(early("szk list --color=always"), Color::Always);
        assert_eq!(early("szk run a -- ls --color=always"), Color::Auto);
        assert_eq!(early("szk --color"), Color::Auto);
    }
}
