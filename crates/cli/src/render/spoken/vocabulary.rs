//! How the fields of an operation are given in the terminal, from its command's own arguments.

use clap::{Arg, ArgAction, Command};

use crate::command::Derived;

/// What a command takes.
#[derive(Debug, Clone, Default)]
pub(super) struct Vocabulary {
    fields: Vec<Given>,
    /// The field whose words are commands of their own.
    action: Option<&'static str>,
    below: Vec<(String, Vocabulary)>,
}

/// How a field is given.
#[derive(Debug, Clone)]
struct Given {
    field: String,
    /// Shorter, for a field that stands by itself: `-s PROFILE`.
    alone: String,
    way: Way,
    words: Vec<String>,
}

/// The place of a field in a command line.
#[derive(Debug, Clone)]
enum Way {
    /// By position; the text stands for its value.
    Position(String),
    /// With a value.
    Option { long: String, value: String },
    /// A flag that says `true`.
    Flag(String),
    /// A flag that says `false`.
    No(String),
}

/// What a field, with the value after it, is in the terminal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// These words belong to the command line.
    Line(String),
    /// The command does so by itself.
    Nothing,
}

impl Vocabulary {
    /// What the command of an operation takes; `line` is how it is typed.
    pub(super) fn of(operation: Derived, line: &str) -> Self {
        let mut command = operation.command("command".to_owned());
        command.build();
        let table = (operation.table)();
        let read = |command: &Command| Self::read(command, line, &|field| table.says_no(field));
        let below = command.get_subcommands();
        Self {
            action: table.action_field(),
            below: below
                .map(|below| (below.get_name().to_owned(), read(below)))
                .collect(),
            ..read(&command)
        }
    }

    /// What the built command of an operation takes; `says_no` tells fields that are flags for `false`.
    pub(super) fn of_operation(
        command: &Command,
        line: &str,
        says_no: &dyn Fn(&str) -> bool,
    ) -> Self {
        Self::read(command, line, says_no)
    }

    /// What a command takes that is built.
    pub(super) fn of_command(command: &Command, line: &str) -> Self {
        Self::read(command, line, &|_| false)
    }

    fn read(command: &Command, line: &str, says_no: &dyn Fn(&str) -> bool) -> Self {
        let arguments = command.get_arguments();
        Self {
            fields: arguments.map(|arg| given(arg, line, says_no)).collect(),
            ..Self::default()
        }
    }

    /// The options that every command has.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.fields.extend(other.fields);
        self
    }

    /// How to give this field by itself, and how much of the text after it that stands for.
    pub(super) fn alone(&self, field: &str, after: &str) -> Option<(String, usize)> {
        let given = self.find(field)?;
        Some(match (self.spoken(field, after)?, &given.way) {
            ((Words::Line(line), used @ 1..), Way::Option { .. }) => (line, used),
            _ => (given.alone.clone(), 0),
        })
    }

    /// What this field is called, and how much of the text after it that stands for.
    pub(super) fn named(&self, field: &str, after: &str) -> Option<(String, usize)> {
        Some(match &self.find(field)?.way {
            Way::Position(name) => (name.clone(), 0),
            Way::Option { long, .. } => (format!("--{long}"), 0),
            Way::Flag(long) => (format!("--{long}"), 0),
            Way::No(long) => {
                let used = truth(after).map_or(0, |told| told.to_string().len() + 1);
                (format!("--{long}"), used)
            }
        })
    }

    /// The words for a field, or for a word of a positional one, and how much of the text after it they
    /// stand for.
    pub(super) fn spoken(&self, word: &str, after: &str) -> Option<(Words, usize)> {
        let value = value(after);
        if self.action == Some(word) {
            let value = value.filter(|value| self.below(value).is_some())?;
            return Some((Words::Line(value.to_owned()), value.len() + 1));
        }
        let Some(given) = self.find(word) else {
            return self.takes(word).then(|| (Words::Line(word.to_owned()), 0));
        };
        let said =
            value.filter(|value| is_value(value) || given.words.iter().any(|one| one == value));
        let length = said.map_or(0, |said| said.len() + 1);
        let shown = |stand_in: &str| said.unwrap_or(stand_in).to_owned();
        Some(match &given.way {
            Way::Position(name) => (Words::Line(shown(name)), length),
            Way::Option { long, value } => {
                (Words::Line(format!("--{long} {}", shown(value))), length)
            }
            Way::No(_) | Way::Flag(_) => match (&given.way, truth(after)) {
                (Way::No(long), Some(false)) => (Words::Line(format!("--{long}")), 6),
                (Way::Flag(long), Some(true)) => (Words::Line(format!("--{long}")), 5),
                (Way::Flag(long), None) => (Words::Line(format!("--{long}")), 0),
                (_, told) => (
                    Words::Nothing,
                    told.map_or(0, |told| told.to_string().len() + 1),
                ),
            },
        })
    }

    /// What a command of an action takes.
    pub(super) fn below(&self, word: &str) -> Option<&Self> {
        let found = self.below.iter().find(|(name, _)| name == word);
        found.map(|(_, below)| below)
    }

    /// Whether this is a word of an action, or of a field that is given by position.
    fn takes(&self, word: &str) -> bool {
        let mut positions = self.fields.iter();
        self.below(word).is_some()
            || positions.any(|given| {
                matches!(given.way, Way::Position(_)) && given.words.iter().any(|one| one == word)
            })
    }

    fn find(&self, field: &str) -> Option<&Given> {
        self.fields.iter().find(|given| given.field == field)
    }
}

fn given(arg: &Arg, line: &str, says_no: &dyn Fn(&str) -> bool) -> Given {
    let field = arg.get_id().to_string();
    let value = arg
        .get_value_names()
        .filter(|_| arg.get_action().takes_values())
        .and_then(|names| names.first())
        .map(ToString::to_string);
    let with_value = value.as_ref().map(|name| format!(" {name}"));
    let with_value = with_value.unwrap_or_default();
    let alone = match (arg.get_short(), arg.get_long()) {
        (Some(short), _) => format!("-{short}{with_value}"),
        (None, Some(long)) => format!("--{long}{with_value}"),
        (None, None) => format!("{line}{with_value}").trim_start().to_owned(),
    };
    let flag = matches!(arg.get_action(), ArgAction::SetTrue);
    let way = match (arg.get_long(), value) {
        (None, name) => Way::Position(name.unwrap_or_default()),
        (Some(long), _) if flag && says_no(&field) => Way::No(long.to_owned()),
        (Some(long), Some(value)) if !flag => Way::Option {
            long: long.to_owned(),
            value,
        },
        (Some(long), _) => Way::Flag(long.to_owned()),
    };
    let words = arg.get_possible_values();
    let words = words.iter().map(|value| value.get_name().to_owned());
    Given {
        field,
        alone,
        way,
        words: words.collect(),
    }
}

/// The word right after a field: `` `kind` network``.
fn value(after: &str) -> Option<&str> {
    let rest = after.strip_prefix(' ')?;
    let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let word = rest.split(ends).next()?;
    (!word.is_empty()).then_some(word)
}

/// A number, or the id of a tab or an element.
fn is_value(word: &str) -> bool {
    let digits = word.strip_prefix(['t', 'e']).unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn truth(after: &str) -> Option<bool> {
    value(after)?.parse().ok()
}
