//! Messages name operations as the catalogue does; here they are called by their commands.

use szk_tools::specs;

/// Replaces `` `session_list` `` by `` `szk list` ``; where the message gives the command in brackets
/// behind it, that takes the operation's place.
pub(crate) fn in_commands(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, word, after)) = quoted(rest) {
        out.push_str(before);
        let given = after
            .strip_prefix(" (")
            .and_then(quoted)
            .filter(|(before, command, _)| before.is_empty() && command.starts_with("szk "))
            .and_then(|(_, command, after)| Some((command, after.strip_prefix(')')?)));
        let (word, after) = match (command(word), given) {
            (Some(_), Some((given, after))) => (given.to_owned(), after),
            (Some(command), None) => (command, after),
            (None, _) => (word.to_owned(), after),
        };
        out.push_str(&format!("`{word}`"));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What comes before the first word between backticks, the word, and what comes after.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (word, after) = rest.split_once('`')?;
    Some((before, word, after))
}

/// The command of an operation, or the switch of a field.
fn command(word: &str) -> Option<String> {
    if word == "timeout_ms" {
        return Some("--timeout-ms".to_owned());
    }
    specs().iter().find(|spec| spec.name == word)?;
    if word == "session_run_test" {
        return Some("szk test".to_owned());
    }
    let short = word.split_once('_').map_or(word, |(_, short)| short);
    Some(format!("szk {}", short.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_become_commands() {
        assert_eq!(
            in_commands(
                "`session_list` shows `work`; see `browser_run_code` or raise `timeout_ms`"
            ),
            "`szk list` shows `work`; see `szk run-code` or raise `--timeout-ms`"
        );
        assert_eq!(
            in_commands("open it with `session_open` (`szk open work`) or (`szk list`)"),
            "open it with `szk open work` or (`szk list`)"
        );
        assert_eq!(in_commands("no `quote is closed"), "no `quote is closed");
        assert_eq!(in_commands(""), "");
    }
}
