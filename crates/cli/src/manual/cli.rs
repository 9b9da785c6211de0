//! The command reference: the commands' own help.

use clap::Command;

use super::GENERATED;
use crate::commands;

/// Every command with its help, under a heading each.
#[must_use]
pub fn cli() -> String {
    let mut root = crate::command()
        .term_width(80)
        .color(clap::ColorChoice::Never);
    root.build();
    let mut page = format!(
        "{GENERATED}# Commands\n\n\
         `szk session …`, `szk browser …` and `szk workflow …` are the same commands under the names of the operations.\n"
    );
    collect(&mut root, "szk", &mut page);
    page
}

fn collect(command: &mut Command, path: &str, page: &mut String) {
    let help = command.render_long_help().to_string();
    page.push_str(&format!(
        "\n## `{path}`\n\n```text\n{}\n```\n",
        own(&help, path == "szk")
    ));
    for sub in command.get_subcommands_mut() {
        let name = sub.get_name();
        let is_long = name == "help" || commands::repeats(name);
        if !sub.is_hide_set() && !is_long {
            let path = format!("{path} {name}");
            collect(sub, &path, page);
        }
    }
}

/// Shows the global options only once; drops trailing spaces, which editors would strip.
fn own(help: &str, root: bool) -> String {
    let mut global = false;
    let kept: Vec<&str> = help
        .split("\n\n")
        .map(str::trim_end)
        .filter(|section| {
            let heading = section.lines().next().filter(|line| !line.starts_with(' '));
            if let Some(heading) = heading {
                global = heading.starts_with("Global options:");
            }
            root || !global
        })
        .collect();
    let text = kept.join("\n\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned()
}
