//! Help from the catalogue's own words. A terminal says some things in another way: defaults stand in
//! brackets at the end, fields are flags, and no full stop ends the text.

use clap::Command;

use szk_tools::{Field, Kind};

use super::Table;
use crate::commands;

/// The command with its long help and its examples.
pub(super) fn described(command: Command, table: &Table, details: &str) -> Command {
    let about = command.get_about().map(ToString::to_string);
    let command = match (about, details) {
        (_, "") => command,
        (about, details) => {
            let details = spoken(details, commands::line_of);
            command.long_about(format!("{}\n\n{details}", about.unwrap_or_default()))
        }
    };
    let noun = match table.examples {
        [_] => "Example",
        _ => "Examples",
    };
    command.after_help(format!("{noun}:\n  {}", table.examples.join("\n  ")))
}

/// A doc comment on one line, without the full stop at its end.
pub(super) fn line(about: &str) -> String {
    about.replace('\n', " ").trim_end_matches('.').to_owned()
}

/// The help of a field, from its doc comment. `flag` is how another field of the command is given.
pub(super) fn of(field: &Field, flag: impl Fn(&str) -> Option<String>) -> String {
    let (text, default) = without_default(&line(&field.about));
    let text = line(text.trim());
    let text = match default {
        // A flag that is not given is false.
        Some(default) if field.kind != Kind::Flag => {
            format!("{text} [default: {}]", bare(&default))
        }
        _ => text,
    };
    spoken(&text, |word| flag(word).or_else(|| commands::line_of(word)))
}

/// The same for one of a command's actions, which needs not be told that it is about this action:
/// drops the beginning of `` `open`, `focus`: answer with … ``.
pub(super) fn of_action(about: &str) -> String {
    let Some((head, rest)) = about.split_once(": ") else {
        return about.to_owned();
    };
    let words = head.split(", ").all(|word| {
        let word = word.trim_matches('`');
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    if words && head != "Default" {
        capitalised(rest)
    } else {
        about.to_owned()
    }
}

/// Takes out `Default: this.`, ` (default this)` and `, default this`.
fn without_default(about: &str) -> (String, Option<String>) {
    if let Some((before, rest)) = about.split_once("Default: ") {
        let (default, after) = rest.split_once(". ").unwrap_or((rest, ""));
        return (format!("{before}{after}"), Some(default.to_owned()));
    }
    if let Some((before, rest)) = about.split_once(" (default ")
        && let Some((default, after)) = rest.split_once(')')
    {
        return (format!("{before}{after}"), Some(default.to_owned()));
    }
    if let Some((before, default)) = about.split_once(", default ") {
        return (before.to_owned(), Some(default.to_owned()));
    }
    (about.to_owned(), None)
}

/// A default of one word needs no quotes.
fn bare(default: &str) -> &str {
    let inner = default
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    inner
        .filter(|inner| !inner.contains('`'))
        .unwrap_or(default)
}

/// The text with the words in backticks as the terminal says them.
fn spoken(text: &str, word: impl Fn(&str) -> Option<String>) -> String {
    let pieces = text.split('`').enumerate();
    let pieces = pieces.map(|(number, piece)| match number % 2 {
        1 => word(piece).unwrap_or_else(|| piece.to_owned()),
        _ => piece.to_owned(),
    });
    pieces.collect::<Vec<_>>().join("`")
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(about: &str, expected: &str) {
        let flag = |word: &str| (word == "schema").then(|| "--schema".to_owned());
        let field = Field {
            name: "x".to_owned(),
            about: about.to_owned(),
            required: false,
            kind: Kind::Text,
        };
        assert_eq!(of(&field, flag), expected);
    }

    #[test]
    fn defaults_stand_at_the_end() {
        check("Time in ms (default 30000).", "Time in ms [default: 30000]");
        check(
            "Session. Default: the only open one, else `default`.",
            "Session [default: the only open one, else `default`]",
        );
        check(
            "The form (default `text`; `records` when `schema` is given).",
            "The form [default: `text`; `records` when `--schema` is given]",
        );
        check("Where (default `load`).", "Where [default: load]");
        check(
            "At most (default 5); a cursor leads on.",
            "At most; a cursor leads on [default: 5]",
        );
        check("Wait. Default: so. More.", "Wait. More [default: so]");
        check("Format, default `png`.", "Format [default: png]");
        check("Two. Sentences.", "Two. Sentences");
    }

    #[test]
    fn lines_and_names_are_those_of_the_terminal() {
        check("One\nline.", "One line");
        check("Like `browser_run_code`.", "Like `szk run-code`");
        check("See `schema`, not `x`.", "See `--schema`, not `x`");
    }

    #[test]
    fn an_action_is_not_told_which_it_is() {
        let check = |about: &str, expected: &str| assert_eq!(of_action(about), expected);
        check("`open`, `focus`: answer with it.", "Answer with it.");
        check("Import: a browser.", "A browser.");
        check("Where to go.", "Where to go.");
        check("File to read: a state.", "File to read: a state.");
    }
}
