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
    // Recipes have no short forms.
    let families = root
        .get_subcommands()
        .filter(|sub| is_family(sub) && sub.get_name() != "recipe");
    let operations = families.flat_map(Command::get_subcommands);
    for long in operations.filter(|sub| sub.get_name() != "help") {
        let about = |command: &Command| command.get_about().map(ToString::to_string);
        // One name may be taken by an operation of another family.
        let short = root.get_subcommands().find(|sub| about(sub) == about(long));
        let arguments = |command: &Command| -> Vec<String> {
            let ids = command.get_arguments().map(|arg| arg.get_id().to_string());
            ids.collect()
        };
        assert_eq!(
            arguments(long),
            arguments(short.unwrap()),
            "{}",
            long.get_name()
        );
    }
}

/// Whether it holds the long forms of other commands.
fn is_family(command: &Command) -> bool {
    let mut specs = szk_tools::specs().iter();
    specs.any(|spec| {
        spec.name
            .split_once('_')
            .is_some_and(|(family, _)| family == command.get_name())
    })
}

fn collect(command: &mut Command, path: &str, pages: &mut Vec<String>) {
    let help = command.render_long_help().to_string();
    pages.push(format!("## {path}\n\n{}", page(&help, path == "szk")));
    for sub in command.get_subcommands_mut() {
        // The long forms share the arguments of the short ones, see above.
        if !sub.is_hide_set() && sub.get_name() != "help" && !is_family(sub) {
            let path = format!("{path} {}", sub.get_name());
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
