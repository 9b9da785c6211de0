//! The tip for a word that is no command below another: only what is there is named, or nothing.

use clap::Command;

use super::tip::NEAR;

/// Words that people try below a command, and those of ours that can be meant, best first.
const MEANT: &[(&[&str], &[&str])] = &[
    (
        &["delete", "del", "remove", "rm", "erase", "unset", "revoke"],
        &["rm", "delete", "revoke", "close", "cancel"],
    ),
    (&["list", "ls", "all"], &["list", "show", "explain"]),
    (
        &[
            "show", "get", "read", "view", "cat", "print", "info", "inspect",
        ],
        &["show", "explain", "list"],
    ),
    (
        &[
            "set", "put", "add", "store", "create", "new", "make", "save",
        ],
        &["set", "create", "save", "open", "install", "start"],
    ),
    (&["save", "dump", "backup"], &["export"]),
    (&["load", "restore"], &["import"]),
    (&["begin"], &["start"]),
    (&["end", "finish"], &["stop", "close"]),
    (&["abort"], &["cancel"]),
    (&["select", "switch", "use"], &["focus"]),
    (&["rename"], &["label"]),
    (&["check", "validate"], &["verify"]),
    (&["play", "replay", "continue"], &["run", "resume"]),
    (&["change"], &["edit"]),
];

/// The command below `parent` that a word can stand for.
pub(super) fn nearest(parent: &Command, word: &str) -> Option<String> {
    // What an operation defines is there only once it is built.
    let mut parent = parent.clone();
    parent.build();
    meant(&parent, word).or_else(|| alike(&parent, word))
}

/// Whether a word of other tools stands for a command below `parent`.
pub(super) fn is_meant(parent: &Command, word: &str) -> bool {
    let mut parent = parent.clone();
    parent.build();
    meant(&parent, word).is_some()
}

fn meant(parent: &Command, word: &str) -> Option<String> {
    let rows = MEANT.iter().filter(|(words, _)| words.contains(&word));
    let mut ours = rows.flat_map(|(_, ours)| ours.iter());
    let found = ours.find(|name| listed(parent).any(|below| below.get_name() == **name));
    found.map(|name| (*name).to_owned())
}

fn alike(parent: &Command, word: &str) -> Option<String> {
    let names = listed(parent).flat_map(|below| {
        let all = below.get_all_aliases().chain([below.get_name()]);
        all.map(move |name| (name, below.get_name()))
    });
    names
        .map(|(name, own)| (strsim::jaro_winkler(word, name), own))
        .filter(|(nearness, _)| *nearness > NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, own)| own.to_owned())
}

fn listed(parent: &Command) -> impl Iterator<Item = &Command> {
    let all = parent.get_subcommands();
    all.filter(|below| !below.is_hide_set())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    fn built() -> Command {
        let mut all = args::command();
        all.build();
        all
    }

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        let (parents, word) = line.rsplit_once(' ').unwrap();
        let mut parent = args::command();
        for name in parents.split(' ') {
            parent = parent.find_subcommand(name).unwrap().clone();
        }
        assert_eq!(nearest(&parent, word).as_deref(), expected, "{line}");
    }

    #[test]
    fn common_slips_lead_to_what_is_there() {
        check("secret delete", Some("rm"));
        check("secret add", Some("set"));
        check("secret sett", Some("set"));
        check("token rm", Some("revoke"));
        check("token new", Some("create"));
        check("config get", Some("explain"));
        check("config list", Some("explain"));
        check("config preset", Some("presets"));
        check("audit ls", Some("show"));
        check("audit check", Some("verify"));
        check("tabs new", Some("open"));
        check("tabs delete", Some("close"));
        check("runs get", Some("show"));
        check("recipe create", Some("save"));
        check("recipe record new", Some("start"));
        check("session create", Some("open"));
        check("state save", Some("export"));
        check("profile restore", Some("import"));
        check("mcp add", Some("install"));
    }

    #[test]
    fn without_a_command_that_fits_there_is_no_tip() {
        check("config set", None);
        check("profile delete", None);
        check("tabs list", None);
        check("runs delete", None);
        check("secret zzz", None);
    }

    /// Whatever people try below any command, the tip is a command there.
    #[test]
    fn every_tip_is_a_command_there() {
        fn all(command: &Command, check: &mut dyn FnMut(&Command)) {
            check(command);
            command
                .get_subcommands()
                .for_each(|below| all(below, check));
        }
        let words = || MEANT.iter().flat_map(|(words, _)| words.iter());
        for top in built().get_subcommands() {
            all(top, &mut |parent| {
                for word in words() {
                    let tip = nearest(parent, word);
                    assert!(tip.is_none_or(|tip| parent.find_subcommand(&tip).is_some()));
                }
            });
        }
        // Nothing can be meant that is nowhere.
        let mut names = Vec::new();
        all(&built(), &mut |command| {
            names.push(command.get_name().to_owned());
        });
        for name in MEANT.iter().flat_map(|(_, ours)| ours.iter()) {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
