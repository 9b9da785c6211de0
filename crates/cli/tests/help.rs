//! The whole help in one committed file, so reviews show what changes for users.

use clap::Command;

#[test]
fn help_of_all_commands() {
    let mut root = szk_cli::command()
        .term_width(80)
        .color(clap::ColorChoice::Never);
    root.build();
    let mut pages = Vec::new();
    collect(&mut root, "szk", &mut pages);
    insta::assert_snapshot!(pages.join("\n\n"));
}

#[test]
fn every_command_gives_an_example() {
    let mut root = szk_cli::command();
    root.build();
    check_examples(&root, "szk");
}

#[test]
fn long_forms_take_what_short_ones_take() {
    let mut root = szk_cli::command();
    root.build();
    for family in ["session", "browser"] {
        for long in root.find_subcommand(family).unwrap().get_subcommands() {
            if long.get_name() == "help" {
                continue;
            }
            // `szk run-test` already belongs to the other family.
            let short = match (family, long.get_name()) {
                ("session", "run-test") => "test",
                (_, name) => name,
            };
            let short = root.find_subcommand(short).unwrap();
            let about = |command: &Command| command.get_about().map(ToString::to_string);
            assert_eq!(about(long), about(short));
            let arguments = |command: &Command| -> Vec<String> {
                let ids = command.get_arguments().map(|arg| arg.get_id().to_string());
                ids.collect()
            };
            assert_eq!(arguments(long), arguments(short), "{}", long.get_name());
        }
    }
}

/// Every operation of the catalogue has a command, and every input an argument.
#[test]
fn every_operation_is_a_command() {
    let mut root = szk_cli::command();
    root.build();
    for spec in szk_tools::specs() {
        let (family, name) = spec.name.split_once('_').unwrap();
        let name = name.replace('_', "-");
        let command = root
            .find_subcommand(family)
            .and_then(|family| family.find_subcommand(&name))
            .unwrap_or_else(|| panic!("no `szk {family} {name}`"));
        for field in (spec.input)()["properties"].as_object().unwrap().keys() {
            assert!(
                accepts(command, field),
                "`szk {family} {name}` has no `{field}`"
            );
        }
    }
}

fn collect(command: &mut Command, path: &str, pages: &mut Vec<String>) {
    let help = command.render_long_help().to_string();
    pages.push(format!("## {path}\n\n{}", page(&help, path == "szk")));
    for sub in command.get_subcommands_mut() {
        let name = sub.get_name();
        // The long forms share the arguments of the short ones, see below.
        if !sub.is_hide_set() && !["help", "session", "browser"].contains(&name) {
            let path = format!("{path} {name}");
            collect(sub, &path, pages);
        }
    }
}

/// Shows the global options only once; drops trailing spaces, which editors would strip.
fn page(help: &str, root: bool) -> String {
    let sections = help.split("\n\n").map(str::trim_end);
    let mut global = false;
    let kept = sections.filter(|section| {
        let heading = section.lines().next().filter(|line| !line.starts_with(' '));
        if let Some(heading) = heading {
            global = heading.starts_with("Global options:");
        }
        root || !global
    });
    let text = kept.collect::<Vec<_>>().join("\n\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

fn check_examples(command: &Command, path: &str) {
    for sub in command.get_subcommands() {
        let path = format!("{path} {}", sub.get_name());
        if sub.is_hide_set() || sub.get_name() == "help" {
            continue;
        }
        let after = sub.get_after_help().map(ToString::to_string);
        assert!(
            after.is_some_and(|text| text.contains("szk ")),
            "`{path}` has no example"
        );
        check_examples(sub, &path);
    }
}

/// Whether the field is an argument of the command itself, or of the words that choose its action.
fn accepts(command: &Command, field: &str) -> bool {
    let own = command.get_arguments().any(|arg| arg.get_id() == field);
    let chosen = match field {
        "action" => command.has_subcommands(),
        // On a command line everyone could see it, so it comes from stdin.
        "text" => command.get_arguments().any(|arg| arg.get_id() == "path"),
        "history" => command.get_arguments().any(|arg| arg.get_id() == "back"),
        _ => false,
    };
    let below = command.get_subcommands().any(|sub| accepts(sub, field));
    own || chosen || below
}
