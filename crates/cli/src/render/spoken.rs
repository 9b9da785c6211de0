//! Answers and failures name operations and fields as in the catalogue; this turns them into what the
//! user types.
//!
//! The catalogue tells which command an operation is, and the arguments of its command tell how a field
//! is given: their ids are the field names.

mod foreign;
mod vocabulary;

use clap::Command;
use szk_tools::browser::Batch;
use szk_tools::{Failure, Operation};

use crate::commands;
use foreign::Piece;
use vocabulary::{Vocabulary, Words};

/// The vocabulary of the command that ran.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speech {
    /// Its input uses the catalogue's own words, as in a file of steps: leave them.
    catalogue: bool,
    /// Fields of its input, and how to give them in the terminal.
    own: Vocabulary,
}

impl Speech {
    /// The vocabulary of the command with these words, such as `["browser", "navigate"]`.
    pub(crate) fn of(root: Command, path: &[String]) -> Self {
        let global = Vocabulary::of_command(&root, "");
        // Arguments are there only once the command is built.
        let mut command = root;
        for word in path {
            let Some(below) = command.find_subcommand(word) else {
                break;
            };
            let mut below = below.clone();
            below.build();
            command = below;
        }
        let line = format!("szk {}", path.join(" "));
        let operation = commands::find(path).and_then(|entry| entry.operation());
        Self {
            catalogue: operation.is_some_and(|of| of.spec.name == Batch::NAME),
            own: match operation {
                Some(of) => {
                    let table = (of.table)();
                    Vocabulary::of_operation(&command, &line, &|field| table.says_no(field))
                }
                None => Vocabulary::of_command(&command, &line),
            }
            .and(global),
        }
    }

    /// The vocabulary of the command of this operation.
    pub(crate) fn running<O: Operation>() -> Self {
        Self::of_operation(O::NAME)
    }

    /// The same by the operation's name.
    pub(crate) fn of_operation(name: &str) -> Self {
        Self {
            catalogue: false,
            own: taken_by(name).unwrap_or_default(),
        }
    }

    /// Replaces `` `session_list` `` with `` `szk list` ``; if the message gives the command in
    /// brackets after it, that replaces the operation.
    pub(crate) fn message(&self, text: &str) -> String {
        self.replaced(text, Fields::None)
    }

    /// The same for a hint, which also names fields: `` `session` `` becomes `` `-s PROFILE` `` for
    /// many commands.
    pub(crate) fn hint(&self, text: &str) -> String {
        self.replaced(text, Fields::All)
    }

    /// The same for an answer, of which only szk's own words are meant. Its hints stand in brackets, or
    /// are called that.
    pub(crate) fn answer(&self, text: &str) -> String {
        if !text.contains('`') {
            return text.to_owned();
        }
        let lines = foreign::pieces(text).into_iter().map(|line| {
            let fields = match line.first() {
                Some(Piece::Ours(text)) if is_hint(text) => Fields::All,
                _ => Fields::Named,
            };
            let pieces = line.into_iter().map(|piece| match piece {
                Piece::Ours(text) => self.replaced(text, fields),
                Piece::Foreign(text) => text.to_owned(),
            });
            pieces.collect::<String>()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What a failure says, in the words of the terminal; `text` is its message, ready to be shown.
    pub(crate) fn message_of(&self, failure: &Failure, text: &str) -> String {
        match &failure.fields[..] {
            [] => self.message(text),
            fields => self.replaced(text, Fields::Those(fields)),
        }
    }

    /// A failure in the words of the terminal.
    pub(crate) fn failure(&self, failure: Failure) -> Failure {
        Failure {
            message: self.message_of(&failure, &failure.message),
            hint: failure.hint.map(|hint| self.hint(&hint)),
            ..failure
        }
    }

    fn replaced(&self, text: &str, fields: Fields<'_>) -> String {
        if self.catalogue {
            return text.to_owned();
        }
        let mut said = Said::default();
        let mut rest = text;
        while let Some((before, word, after)) = quoted(rest) {
            said.text(before);
            rest = after;
            if word == "timeout_ms" {
                said.word("--timeout-ms");
            } else if before.ends_with("did you mean ") {
                // A suggested name is a name, whatever else it might mean.
                said.word(word);
            } else if let Some(line) = commands::line_of(word) {
                let given = given_after(after);
                rest = given.map_or(after, |(_, after)| after);
                said.command(given.map_or(&line, |(given, _)| given), word);
            } else if fields.names(word)
                && let Some((words, used)) = self.own.named(word, after)
            {
                said.word(&words);
                rest = &after[used..];
            } else if fields != Fields::None
                && let Some(used) = said.argument(word, after)
            {
                rest = &after[used..];
            } else if fields == Fields::All
                && let Some((words, used)) = self.own.alone(word, after)
            {
                said.word(&words);
                rest = &after[used..];
            } else {
                said.word(word);
            }
        }
        said.text(rest);
        said.out
    }
}

/// Which fields a text names: elsewhere a word is a value, which may look like a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fields<'a> {
    None,
    /// Those of an operation, after its name.
    Named,
    /// Also those of the command that ran.
    All,
    /// These of the command that ran, by their names alone: `--file`, not `--file FILE`.
    Those(&'a [String]),
}

impl Fields<'_> {
    /// Whether it was said that this is a field.
    fn names(self, word: &str) -> bool {
        matches!(self, Self::Those(fields) if fields.iter().any(|field| field == word))
    }
}

/// A text that is being put into the words of the terminal.
#[derive(Default)]
struct Said {
    out: String,
    /// What the command named last in this sentence takes.
    takes: Option<Vocabulary>,
    /// Where its line ends, if nothing but a word that joins has come after it.
    line: Option<usize>,
}

impl Said {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        if text.contains([';', '\n']) || text.contains(". ") {
            (self.takes, self.line) = (None, None);
        }
        const JOINS: [&str; 6] = [", ", ": ", " with ", " and ", " and a ", " with the "];
        if !JOINS.contains(&text) {
            self.line = None;
        }
    }

    fn word(&mut self, word: &str) {
        self.out.push_str(&format!("`{word}`"));
        self.line = None;
    }

    fn command(&mut self, line: &str, operation: &str) {
        self.word(line);
        self.line = Some(self.out.len());
        self.takes = taken_by(operation);
    }

    /// A field of the command named last, which goes into its line if it stands right after it; returns
    /// how much of the text after it that took.
    fn argument(&mut self, word: &str, after: &str) -> Option<usize> {
        let (words, used) = self.takes.as_ref()?.spoken(word, after)?;
        match (words, self.line) {
            (Words::Line(words), Some(end)) => {
                self.out.truncate(end - 1);
                self.out.push_str(&format!(" {words}`"));
                self.line = Some(self.out.len());
                let below = self.takes.as_ref().and_then(|takes| takes.below(&words));
                if let Some(below) = below.cloned() {
                    self.takes = Some(below);
                }
            }
            (Words::Line(words), None) => self.word(&words),
            (Words::Nothing, Some(end)) => self.out.truncate(end),
            (Words::Nothing, None) => return None,
        }
        Some(used)
    }
}

/// The text before the first word in backticks, the word, and the text after it.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (word, after) = rest.split_once('`')?;
    Some((before, word, after))
}

/// Whether a line says what to do next.
fn is_hint(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("- ");
    text.starts_with('(') || text.starts_with("hint: ")
}

/// The command in brackets after an operation, and the text after it.
fn given_after(after: &str) -> Option<(&str, &str)> {
    let (before, command, after) = quoted(after.strip_prefix(" (")?)?;
    let whole = before.is_empty() && command.starts_with("szk ");
    Some((command, after.strip_prefix(')')?)).filter(|_| whole)
}

/// What the command of an operation takes.
fn taken_by(operation: &str) -> Option<Vocabulary> {
    let line = commands::line_of(operation)?;
    commands::operation_of(operation).map(|of| Vocabulary::of(of, &line))
}

#[cfg(test)]
mod tests;
