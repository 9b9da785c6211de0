//! The commands, by purpose. What is one operation of the catalogue is derived from it
//! ([`crate::operation`]); the others are written by hand, one file each.
//!
//! Long forms (`szk session open`) are the operations under the catalogue's names.

use clap::Command;
use szk_tools::browser::{
    Act, Arm, Batch, Emulate, Extract, Find, Logs, Navigate, Pdf, RunCode, RunFile, RunTest,
    Screenshot, Snapshot, Tabs,
};
use szk_tools::recipe;
use szk_tools::session::{Close, Delete, Endpoint, Handoff, List, Open, RunTestIn, State};
use szk_tools::workflow::{Crawl, FillForm, Login, Scrape};

use crate::command::{Derived, Entry, by_hand, named, operation, own_name};

mod act;
mod arm;
mod audit;
mod batch;
mod close;
mod completions;
mod config;
pub(crate) mod confirm;
mod crawl;
mod delete;
mod doctor;
mod endpoint;
mod fill_form;
mod foreground;
mod gc;
mod handoff;
mod init;
mod inspect;
mod keeper;
mod launch;
mod leash;
mod list;
mod login;
mod logs;
mod man;
mod mcp;
mod mcp_install;
mod open;
mod pages;
mod profile;
mod recipe_edit;
mod recipes;
mod run;
mod run_code;
mod run_test;
mod runs;
mod scrape;
mod screenshot;
mod secret;
mod serve;
mod signals;
mod skill;
mod state;
mod task;
mod token;

/// Every command, by purpose and in the order of the help. This is the only list of them.
const GROUPS: &[(&str, &[Entry])] = &[
    (
        "Sessions",
        &[
            operation::<Open>(),
            operation::<Close>(),
            operation::<List>(),
            by_hand::<inspect::InspectArgs>(),
            operation::<Delete>(),
            by_hand::<run::RunArgs>(),
            operation::<Endpoint>(),
            operation::<Handoff>(),
        ],
    ),
    (
        "Pages",
        &[
            operation::<Navigate>(),
            operation::<Snapshot>(),
            operation::<Find>(),
            operation::<Act>(),
            operation::<Extract>(),
            operation::<Screenshot>(),
            operation::<Pdf>(),
            operation::<Tabs>(),
            operation::<Logs>(),
            operation::<Emulate>(),
            operation::<Arm>(),
            operation::<Batch>(),
            operation::<RunCode>(),
            operation::<RunFile>(),
        ],
    ),
    (
        "Workflows",
        &[
            operation::<Login>(),
            operation::<FillForm>(),
            operation::<Scrape>(),
            operation::<Crawl>(),
            operation::<RunTestIn>(),
            operation::<RunTest>(),
            by_hand::<task::DoArgs>(),
            by_hand::<runs::RunsArgs>(),
        ],
    ),
    (
        "Logins and profiles",
        &[
            operation::<State>(),
            by_hand::<profile::ProfileArgs>(),
            by_hand::<secret::SecretArgs>(),
            by_hand::<gc::GcArgs>(),
        ],
    ),
    (
        "Setting up",
        &[
            by_hand::<mcp::McpArgs>(),
            by_hand::<serve::ServeArgs>(),
            by_hand::<token::TokenArgs>(),
            by_hand::<audit::AuditArgs>(),
            by_hand::<init::InitArgs>(),
            by_hand::<skill::SkillArgs>(),
            by_hand::<config::ConfigArgs>(),
            by_hand::<doctor::DoctorArgs>(),
            by_hand::<completions::CompletionsArgs>(),
            by_hand::<man::ManArgs>(),
        ],
    ),
];

/// Operations that are commands only under the name of their family: `szk recipe list`.
const BY_FAMILY: &[Entry] = &[
    operation::<recipe::List>(),
    operation::<recipe::Show>(),
    operation::<recipe::Record>(),
    operation::<recipe::Save>(),
    operation::<recipe::Run>(),
    operation::<recipe::Check>(),
    operation::<recipe::Export>(),
    operation::<recipe::Delete>(),
];

/// Commands below the name of a family that are written by hand.
const OWN_OF_FAMILY: &[(&str, Entry)] = &[("recipe", by_hand::<recipe_edit::EditArgs>())];

/// Commands that do what an operation does, without being derived from it.
const INSTEAD: &[(&str, &str)] = &[("agent_run", <task::DoArgs as crate::command::ByHand>::NAME)];

/// What szk starts itself; no help lists them.
const HIDDEN: &[Entry] = &[
    by_hand::<keeper::KeeperArgs>(),
    by_hand::<leash::LeashArgs>(),
];

/// The first words of the operations' names, under which they are commands as well.
const FAMILIES: &[Family] = &[
    Family {
        name: "session",
        under: None,
        about: "Session commands by their long names",
        example: "szk session open work",
    },
    Family {
        name: "browser",
        under: None,
        about: "Page commands by their long names",
        example: "szk browser navigate https://example.com",
    },
    Family {
        name: "workflow",
        under: None,
        about: "Workflow commands by their long names",
        example: "szk workflow login https://example.com/login --username jane --secret shop",
    },
    Family {
        name: "recipe",
        under: Some("Workflows"),
        about: "Replay what was done once",
        example: "szk recipe run search-orders --param order=1001",
    },
];

/// The operations whose names begin with the same word.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// Its heading in the help, if its operations are commands in no other way.
    under: Option<&'static str>,
    pub(crate) about: &'static str,
    example: &'static str,
}

/// The headings of the help, with the names below each.
pub(crate) fn headings() -> Vec<(&'static str, Vec<String>)> {
    let names = |entries: &[Entry]| entries.iter().map(Entry::name).collect();
    let groups = GROUPS.iter();
    let mut headings: Vec<(_, Vec<String>)> = groups
        .map(|(heading, entries)| (*heading, names(entries)))
        .collect();
    for family in FAMILIES {
        let heading = family.under.unwrap_or("By the names of the operations");
        let name = family.name.to_owned();
        match headings.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, names)) => names.push(name),
            None => headings.push((heading, vec![name])),
        }
    }
    headings
}

/// Whether the commands below this word are those that stand elsewhere, under longer names.
pub(crate) fn repeats(word: &str) -> bool {
    FAMILIES
        .iter()
        .any(|family| family.name == word && family.under.is_none())
}

/// Whether this word stands before the name of an operation.
pub(crate) fn is_family(word: &str) -> bool {
    FAMILIES.iter().any(|family| family.name == word)
}

/// Whether a family has an operation of this name: `recipe show`.
pub(crate) fn is_of_family(family: &str, name: &str) -> bool {
    operations().any(|(_, of)| own_name(of.spec) == (family, name.to_owned()))
        || own_of_family(family, name).is_some()
}

fn own_of_family(family: &str, name: &str) -> Option<Entry> {
    let mut own = OWN_OF_FAMILY.iter();
    let found = own.find(|(of, entry)| *of == family && entry.name() == name);
    found.map(|(_, entry)| *entry)
}

/// The command line with all commands.
pub(crate) fn added(root: Command) -> Command {
    let short = entries().map(|entry| entry.command(entry.name()));
    let hidden = HIDDEN.iter().map(|entry| entry.command(entry.name()));
    let root = root.subcommands(short);
    let root = root.subcommands(FAMILIES.iter().map(Family::command));
    root.subcommands(hidden)
}

/// The command with this path, such as `["browser", "navigate"]`.
pub(crate) fn find(path: &[String]) -> Option<Entry> {
    match path {
        [family, name, ..] if is_family(family) => operations()
            .find(|(_, of)| own_name(of.spec) == (&**family, name.clone()))
            .map(|(entry, _)| entry)
            .or_else(|| own_of_family(family, name)),
        [name, ..] => entries()
            .chain(HIDDEN.iter().copied())
            .find(|entry| entry.name() == *name),
        [] => None,
    }
}

/// The words that run the operation of this name.
pub(crate) fn words_of(operation: &str) -> Option<String> {
    let mut all = operations();
    let (entry, of) = all.find(|(_, of)| of.spec.name == operation)?;
    let (family, name) = own_name(of.spec);
    let short = BY_FAMILY
        .iter()
        .all(|one| one.operation().is_none_or(|one| one.spec.name != operation));
    Some(if short {
        entry.name()
    } else {
        format!("{family} {name}")
    })
}

/// How to run the operation of this name: `szk run-code`.
pub(crate) fn line_of(operation: &str) -> Option<String> {
    let instead = || {
        let mut instead = INSTEAD.iter();
        let found = instead.find(|(of, _)| *of == operation);
        found.map(|(_, name)| (*name).to_owned())
    };
    let words = words_of(operation).or_else(instead)?;
    Some(format!("szk {words}"))
}

/// The command that is the operation of this name.
pub(crate) fn operation_of(name: &str) -> Option<Derived> {
    let found = operations().find(|(_, of)| of.spec.name == name);
    found.map(|(_, of)| of)
}

fn entries() -> impl Iterator<Item = Entry> {
    GROUPS
        .iter()
        .flat_map(|(_, entries)| entries.iter().copied())
}

/// The commands that are operations.
pub(crate) fn operations() -> impl Iterator<Item = (Entry, Derived)> {
    let all = entries().chain(BY_FAMILY.iter().copied());
    all.filter_map(|entry| Some((entry, entry.operation()?)))
}

impl Family {
    fn command(&self) -> Command {
        let below = operations().filter_map(|(entry, of)| {
            let (family, name) = own_name(of.spec);
            (family == self.name).then(|| entry.command(name))
        });
        let own = OWN_OF_FAMILY.iter().filter(|(of, _)| *of == self.name);
        named(self.name)
            .about(self.about)
            .after_help(format!("Example:\n  {}", self.example))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(below)
            .subcommands(own.map(|(_, entry)| entry.command(entry.name())))
    }
}
