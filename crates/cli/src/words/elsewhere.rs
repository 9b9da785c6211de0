//! The tip for a noun and a verb (`szk profile delete`) whose work is done by a command that does not stand
//! below the noun.

use super::{To, leads};
use crate::commands;

/// Words below a noun, and the sentence that names the commands for them.
type Row = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const ROWS: &[Row] = &[
    (
        &["profile"],
        &["delete", "del", "remove", "rm", "erase", "destroy"],
        "`szk delete NAME` deletes a profile with its logins",
    ),
    (
        &["profile"],
        &["list", "ls", "all"],
        "`szk list` lists the profiles, open or not",
    ),
    (
        &["profile", "browser"],
        &[
            "create", "new", "make", "add", "init", "open", "launch", "start", "use", "switch",
        ],
        "`szk open NAME` opens a profile and makes it if it is new",
    ),
    (
        &["profile", "browser"],
        &["close", "stop", "quit", "kill", "end", "exit"],
        "`szk close NAME` saves and closes an open profile",
    ),
    (
        &["profile", "session", "browser"],
        &["clone", "copy", "duplicate", "cp"],
        "`szk open NAME --clone` opens a copy, and `szk close COPY --keep-as NAME` keeps it",
    ),
    (
        &["profile", "session"],
        &[
            "show", "get", "view", "info", "inspect", "cat", "print", "read",
        ],
        "`szk inspect NAME` shows what a profile holds",
    ),
    (
        &["state"],
        &[
            "list", "ls", "show", "get", "view", "info", "inspect", "cat",
        ],
        "`szk inspect NAME` shows what a profile holds",
    ),
    (
        &["session"],
        &["export", "import", "save", "load", "restore", "backup"],
        "`szk state export` and `szk state import` move logins; a session saves itself",
    ),
    (
        &["state", "profile", "session"],
        &["clear", "clean", "reset"],
        "`szk delete NAME` deletes a profile with its logins",
    ),
    (
        &["state"],
        &["delete", "remove", "rm"],
        "`szk delete NAME` deletes a profile with its logins",
    ),
    (
        &["browser"],
        &["install", "download", "update"],
        "`szk doctor` says how to install a missing browser",
    ),
    (
        &["tabs"],
        &["list", "ls", "all", "show", "status"],
        "`szk tabs` lists the tabs",
    ),
];

/// Nouns, and the headings of the help below which a command of this name does what the noun and the word
/// mean. A heading is left out where a command of it would do it to something else.
const OF_NOUNS: &[(&str, &[&str])] = &[
    ("profile", &["Sessions", "Pages", "Workflows"]),
    ("session", &["Sessions", "Pages", "Workflows"]),
    ("browser", &["Sessions", "Pages", "Workflows"]),
    ("tabs", &["Pages"]),
];

/// The sentence of the table for a word that is no command below a noun.
pub(super) fn known(noun: &str, word: &str) -> Option<String> {
    let fits = |(nouns, words, _): &&Row| nouns.contains(&noun) && words.contains(&word);
    let (_, _, tip) = ROWS.iter().find(fits)?;
    Some((*tip).to_owned())
}

/// The sentence for a word that is a command of szk, or stands for one, and none below the noun.
pub(super) fn command(noun: &str, word: &str) -> Option<String> {
    let (_, under) = OF_NOUNS.iter().find(|(known, _)| *known == noun)?;
    let own = [word];
    let words: &[&str] = match leads(word) {
        Some(To(words)) => words,
        _ => &own,
    };
    let headings = commands::headings();
    let mut headings = headings
        .iter()
        .filter(|(heading, _)| under.contains(heading));
    let known = headings.any(|(_, names)| names.iter().any(|name| *name == words[0]));
    known.then(|| format!("`szk {}` is a command of its own", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    #[track_caller]
    fn check(noun: &str, word: &str, expected: Option<&str>) {
        let tip = known(noun, word).or_else(|| command(noun, word));
        let named = tip.as_deref().and_then(|tip| tip.split('`').nth(1));
        assert_eq!(named, expected, "{noun} {word}");
    }

    #[test]
    fn the_command_that_does_it_is_named() {
        check("profile", "delete", Some("szk delete NAME"));
        check("profile", "list", Some("szk list"));
        check("profile", "new", Some("szk open NAME"));
        check("profile", "close", Some("szk close NAME"));
        check("profile", "goto", Some("szk navigate"));
        check("session", "inspect", Some("szk inspect NAME"));
        check("session", "screenshot", Some("szk screenshot"));
        check("browser", "launch", Some("szk open NAME"));
        check("browser", "ls", Some("szk list"));
        check("tabs", "list", Some("szk tabs"));
        check("tabs", "click", Some("szk act click"));
        check("state", "show", Some("szk inspect NAME"));
    }

    /// What would be done to something else is not named.
    #[test]
    fn nothing_else_is_named() {
        check("runs", "delete", None);
        check("tabs", "delete", None);
        check("secret", "list", None);
        check("recipe", "close", None);
        check("config", "set", None);
        check("profile", "zzz", None);
        check("profile", "version", None);
    }

    #[test]
    fn every_row_is_about_words_that_are_no_command_there_and_names_commands() {
        let mut root = args::command();
        root.build();
        for (nouns, words, tip) in ROWS {
            for noun in *nouns {
                let parent = root.find_subcommand(noun).unwrap();
                let own = words
                    .iter()
                    .find(|word| parent.find_subcommand(word).is_some());
                // `szk session open` is a command; the row is for the other nouns too.
                assert!(own.is_none() || nouns.len() > 1, "{noun}: {own:?}");
            }
            for line in tip.split('`').skip(1).step_by(2) {
                let mut words = line.split(' ');
                assert_eq!(words.next(), Some("szk"), "{line}");
                let name = words.next().unwrap();
                assert!(root.find_subcommand(name).is_some(), "{line}");
            }
        }
        let headings = commands::headings();
        for (noun, under) in OF_NOUNS {
            assert!(root.find_subcommand(noun).is_some(), "{noun}");
            for one in *under {
                assert!(headings.iter().any(|(heading, _)| heading == one), "{one}");
            }
        }
    }
}
