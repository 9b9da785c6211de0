//! The commands grouped by purpose; clap on its own would list all of them in one column.

use std::fmt::Write;

use clap::Command;
use clap::builder::StyledStr;

use crate::commands;

/// Width of the column of names.
const NAMES: usize = 13;

/// The same command whose help shows its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{header}Options:{header:#}\n{{options}}{{after-help}}",
        list(&command),
        header = command.get_styles().get_header(),
    );
    command.help_template(StyledStr::from(template))
}

fn list(command: &Command) -> String {
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (heading, names) in commands::headings() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{header}{heading}:{header:#}");
        for name in &names {
            let Some(sub) = command.find_subcommand(name) else {
                continue;
            };
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let also = aliases(sub);
            let _ = writeln!(text, "  {literal}{name:NAMES$}{literal:#}{about}{also}");
        }
        text.push('\n');
    }
    text
}

fn aliases(command: &Command) -> String {
    let names: Vec<&str> = command.get_visible_aliases().collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(" [alias: {}]", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_command_is_in_one_group_on_one_line() {
        let command = crate::args::command();
        let headings = commands::headings();
        let grouped = || headings.iter().flat_map(|(_, names)| names);
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            assert_eq!(grouped().filter(|one| **one == name).count(), 1, "{name}");
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            let line = format!("  {name:NAMES$}{about}{}", aliases(sub));
            assert!(line.len() <= 80, "{line}");
        }
        for name in grouped() {
            assert!(command.find_subcommand(name).is_some(), "{name}");
        }
    }
}
