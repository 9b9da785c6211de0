//! Messages name operations as the catalogue does; here they are called by their commands.

use szk_tools::specs;

/// Replaces `` `session_list` `` by `` `szk list` ``, and fields such as `` `timeout_ms` `` by their
/// switches.
pub(crate) fn in_commands(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    // Every second part stood between two backticks.
    let mut quoted = true;
    for part in parts {
        out.push('`');
        match quoted {
            true => out.push_str(&command(part)),
            false => out.push_str(part),
        }
        quoted = !quoted;
    }
    out
}

fn command(word: &str) -> String {
    if word == "timeout_ms" {
        return "--timeout-ms".to_owned();
    }
    if !specs().iter().any(|spec| spec.name == word) {
        return word.to_owned();
    }
    let short = word.split_once('_').map_or(word, |(_, short)| short);
    format!("szk {}", short.replace('_', "-"))
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
        assert_eq!(in_commands("no `quote is closed"), "no `quote is closed");
        assert_eq!(in_commands(""), "");
    }
}
