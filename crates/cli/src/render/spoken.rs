//! Failures name operations and fields as in the catalogue; this turns them into what the user types.
//!
//! The catalogue tells which command an operation is, and the arguments of the command that ran tell
//! which one a field is: their ids are the field names.

use clap::Command;
use szk_tools::Operation;
use szk_tools::browser::Batch;

use crate::commands;

/// The vocabulary of the command that ran.
#[derive(Debug, Clone, Default)]
pub(crate) struct Speech {
    /// Its input uses the catalogue's own words, as in a file of steps: leave them.
    catalogue: bool,
    /// Fields of its input, and how to give them in the terminal.
    fields: Vec<(String, String)>,
}

impl Speech {
    /// The vocabulary of the command with these words, such as `["browser", "navigate"]`.
    pub(crate) fn of(root: Command, path: &[String]) -> Self {
        let global: Vec<_> = root.get_arguments().map(|arg| given_by(arg, "")).collect();
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
        let own = command.get_arguments().map(|arg| given_by(arg, &line));
        let fields = own.chain(global).collect();
        let operation = commands::find(path).and_then(|entry| entry.operation());
        Self {
            catalogue: operation.is_some_and(|of| of.spec.name == Batch::NAME),
            fields,
        }
    }

    /// Replaces `` `session_list` `` with `` `szk list` ``; if the message gives the command in
    /// brackets after it, that replaces the operation.
    pub(crate) fn message(&self, text: &str) -> String {
        self.replaced(text, command)
    }

    /// The same for a hint, which also names fields: `` `session` `` becomes `` `-s PROFILE` `` for
    /// many commands.
    pub(crate) fn hint(&self, text: &str) -> String {
        self.replaced(text, |word| command(word).or_else(|| self.field(word)))
    }

    fn replaced(&self, text: &str, spoken: impl Fn(&str) -> Option<String>) -> String {
        if self.catalogue {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, word, after)) = quoted(rest) {
            out.push_str(before);
            let given = after
                .strip_prefix(" (")
                .and_then(quoted)
                .filter(|(before, command, _)| before.is_empty() && command.starts_with("szk "))
                .and_then(|(_, command, after)| Some((command, after.strip_prefix(')')?)));
            // A suggested name is a name, whatever else it might mean.
            let meant = before.ends_with("did you mean ");
            let (word, after) = match (spoken(word).filter(|_| !meant), given) {
                (Some(_), Some((given, after))) => (given.to_owned(), after),
                (Some(spoken), None) => (spoken, after),
                (None, _) => (word.to_owned(), after),
            };
            out.push_str(&format!("`{word}`"));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn field(&self, word: &str) -> Option<String> {
        let known = self.fields.iter().find(|(field, _)| field == word);
        known.map(|(_, given)| given.clone())
    }
}

/// An argument's id and how to give it: `-s PROFILE`, `--timeout-ms MS`, or the command with its
/// position.
fn given_by(arg: &clap::Arg, line: &str) -> (String, String) {
    let value = arg
        .get_value_names()
        .filter(|_| arg.get_action().takes_values())
        .and_then(|names| names.first())
        .map(|name| format!(" {name}"))
        .unwrap_or_default();
    let given = match (arg.get_short(), arg.get_long()) {
        (Some(short), _) => format!("-{short}{value}"),
        (None, Some(long)) => format!("--{long}{value}"),
        (None, None) => format!("{line}{value}"),
    };
    (arg.get_id().to_string(), given)
}

/// The text before the first word in backticks, the word, and the text after it.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (word, after) = rest.split_once('`')?;
    Some((before, word, after))
}

/// The command of an operation, or the switch of a field that every command has.
fn command(word: &str) -> Option<String> {
    if word == "timeout_ms" {
        return Some("--timeout-ms".to_owned());
    }
    commands::line_of(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speech(line: &str) -> Speech {
        let path: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Speech::of(crate::args::command(), &path)
    }

    #[test]
    fn operations_become_commands() {
        let any = Speech::default();
        assert_eq!(
            any.message(
                "`session_list` shows `work`; see `browser_run_code` or raise `timeout_ms`"
            ),
            "`szk list` shows `work`; see `szk run-code` or raise `--timeout-ms`"
        );
        assert_eq!(
            any.message("open it with `session_open` (`szk open work`) or (`szk list`)"),
            "open it with `szk open work` or (`szk list`)"
        );
        assert_eq!(any.message("no `quote is closed"), "no `quote is closed");
        assert_eq!(any.message(""), "");
    }

    #[test]
    fn fields_become_what_the_command_takes() {
        let which = "say which with `session`";
        let said = |line: &str| speech(line).hint(which);
        assert_eq!(said("close"), "say which with `szk close PROFILE`");
        assert_eq!(
            said("state export"),
            "say which with `szk state export PROFILE`"
        );
        assert_eq!(said("snapshot"), "say which with `-s PROFILE`");
        assert_eq!(said("browser snapshot"), "say which with `-s PROFILE`");
        assert_eq!(
            speech("login").hint("give `username` and `success_url`"),
            "give `-u NAME` and `--success-url PART`"
        );
        // A message contains values: a session may have this name.
        let message = "session `session` is not open";
        assert_eq!(speech("close").message(message), message);
        assert_eq!(
            speech("close").hint("did you mean `session`?"),
            "did you mean `session`?"
        );
    }

    #[test]
    fn a_file_of_steps_is_spoken_of_in_its_own_words() {
        let hint = "did you mean `browser_navigate`? `browser_tabs` takes `tab`";
        assert_eq!(speech("batch").hint(hint), hint);
    }
}
