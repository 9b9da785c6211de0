//! The catalogue and the terminal, against each other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;
use szk_tools::browser::{Emulate, History, Navigate, SnapshotMode, Tabs, TabsAction};
use szk_tools::session::{Close, Headless, Open};
use szk_tools::workflow::Scrape;
use szk_tools::{Spec, specs};

use super::{Form, Table, typed_input};
use crate::command::own_name;
use crate::commands;

/// Operations without a command, and why.
const WITHOUT: [(&str, &str); 1] = [(
    "agent_run",
    "`szk do` carries out tasks for a person, who is asked, and pays",
)];

/// All commands with their arguments.
fn root() -> Command {
    let mut root = crate::args::command();
    root.build();
    root
}

/// The command of an operation.
fn of<'a>(root: &'a Command, spec: &Spec) -> &'a Command {
    let (family, name) = own_name(spec);
    let family = root.find_subcommand(family).unwrap();
    family.find_subcommand(&name).unwrap()
}

fn tables() -> impl Iterator<Item = (&'static Spec, Table)> {
    commands::operations().map(|(_, of)| (of.spec, (of.table)()))
}

#[test]
fn every_operation_is_a_command() {
    for spec in specs() {
        let reason = WITHOUT.iter().find(|(name, _)| *name == spec.name);
        let words = commands::words_of(spec.name);
        assert!(
            words.is_some() == reason.is_none(),
            "`{}` needs a line in `commands/mod.rs`, or a reason here",
            spec.name
        );
    }
}

/// A command has an argument for each field, or says in its table why not.
#[test]
fn every_field_is_an_argument() {
    let root = root();
    for (spec, table) in tables() {
        let command = of(&root, spec);
        for field in (spec.fields)() {
            let made = matches!(form(&table, &field.name), Some(Form::Made));
            let given = made || accepts(command, &table, &field.name);
            assert!(given, "`{}` has no `{}`", spec.name, field.name);
        }
    }
}

#[test]
fn tables_name_only_what_is_there() {
    let root = root();
    for (spec, table) in tables() {
        let command = of(&root, spec);
        let fields: BTreeSet<String> = (spec.fields)().into_iter().map(|one| one.name).collect();
        check_names(spec, command, &table, &fields);
    }
}

#[track_caller]
fn check_names(spec: &Spec, command: &Command, table: &Table, fields: &BTreeSet<String>) {
    let positions = table.positions.iter().chain(table.only.unwrap_or_default());
    let forms = table.forms.iter().map(|(name, _)| name);
    for name in positions.chain(forms).chain(&table.action) {
        assert!(fields.contains(*name), "{}: no field `{name}`", spec.name);
    }
    let tweaks = table.tweaks.iter().map(|(name, _)| name);
    let words = table
        .values
        .iter()
        .chain(&table.helps)
        .map(|(name, _)| name);
    for name in tweaks.chain(words) {
        let arg = command.get_arguments().find(|arg| arg.get_id() == name);
        assert!(arg.is_some(), "{}: no argument `{name}`", spec.name);
    }
    for (word, below) in &table.actions {
        let action = command.find_subcommand(word).unwrap();
        check_names(spec, action, below, fields);
    }
}

fn form(table: &Table, field: &str) -> Option<Form> {
    let below = table
        .actions
        .iter()
        .find_map(|(_, below)| form(below, field));
    table.form_of(field).or(below)
}

fn accepts(command: &Command, table: &Table, field: &str) -> bool {
    let ids: Vec<&str> = match table.form_of(field) {
        Some(Form::Flags(flags)) => flags.iter().map(|(word, _)| *word).collect(),
        _ => vec![field],
    };
    let known = |id: &&str| command.get_arguments().any(|arg| arg.get_id() == *id);
    let below = table.actions.iter().any(|(word, below)| {
        let action = command.find_subcommand(word);
        action.is_some_and(|action| accepts(action, below, field))
    });
    table.action == Some(field) || below || ids.iter().all(known)
}

#[test]
fn forms_are_read_as_they_are_written() {
    let close = |line| typed_input::<Close>(line).0;
    assert_eq!(close("work --no-save").save, Some(false));
    assert_eq!(close("work").save, None);
    let emulate = |line| typed_input::<Emulate>(line).0;
    assert_eq!(emulate("--offline").offline, Some(true));
    assert_eq!(emulate("--offline=false --reset").offline, Some(false));
    assert_eq!(emulate("--reset").offline, None);
    let headers = emulate("--header X-A:b --header C:d:e").headers.unwrap();
    assert_eq!((&*headers["X-A"], &*headers["C"]), ("b", "d:e"));
    let navigate = |line| typed_input::<Navigate>(line).0;
    assert_eq!(navigate("--back").history, Some(History::Back));
    assert_eq!(
        navigate("x --snapshot").snapshot,
        Some(SnapshotMode::Interactive)
    );
    let tabs = typed_input::<Tabs>("label t2 shop -s work").0;
    assert_eq!(tabs.action, Some(TabsAction::Label));
    assert_eq!(
        (tabs.tab.as_deref(), tabs.label.as_deref()),
        (Some("t2"), Some("shop"))
    );
    let scrape = typed_input::<Scrape>("a b --select t=h1=x --pages 5").0;
    assert_eq!(scrape.urls.unwrap(), ["a", "b"]);
    assert_eq!(
        (&*scrape.selectors.unwrap()["t"], scrape.pages),
        ("h1=x", Some(5))
    );
    let open = typed_input::<Open>("work --headless --extension a --extension b").0;
    assert_eq!(open.headless, Some(Headless::True));
    assert_eq!(open.extensions.unwrap().len(), 2);
}

/// A second list of commands would name many of them. `words` does: it says what other words lead to, and its own
/// tests compare them with the commands.
#[test]
fn commands_are_listed_once() {
    let root = crate::args::command();
    let names: BTreeSet<&str> = root.get_subcommands().map(Command::get_name).collect();
    let mut lists = Vec::new();
    for (path, text) in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        let code = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let words: BTreeSet<&str> = code.split('"').skip(1).step_by(2).collect();
        let says_it =
            path.ends_with("words.rs") || path.parent().is_some_and(|of| of.ends_with("words"));
        if words.intersection(&names).count() > 6 && !says_it {
            lists.push(path);
        }
    }
    assert!(lists.is_empty(), "a second list of commands: {lists:?}");
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}
