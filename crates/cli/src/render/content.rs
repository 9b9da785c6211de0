//! Page content: text as it is, lists as one JSON object per line, and the notes that go with it.

use serde_json::Value;

use super::spoken::Speech;
use super::text::printable_lines;

/// The content or entries, whatever is missing, and how to get the rest.
pub(crate) fn content(
    content: Option<&str>,
    entries: Option<&[Value]>,
    notes: &[String],
    cursor: Option<&str>,
    speech: &Speech,
) -> String {
    let mut lines: Vec<String> = content.map(str::to_owned).into_iter().collect();
    lines.extend(entries.into_iter().flatten().map(Value::to_string));
    lines.extend(notes.iter().map(|note| speech.answer(&format!("({note})"))));
    lines.extend(cursor.map(|cursor| format!("(there is more: --cursor {cursor})")));
    printable_lines(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_told_in_lines() {
        let entries = [json!({"a": 1}), json!(2)];
        let notes = ["one page was empty, see `browser_logs`".to_owned()];
        let any = Speech::default();
        assert_eq!(
            content(
                Some("`browser_logs`\u{1b}[2J"),
                Some(&entries),
                &notes,
                Some("c1"),
                &any
            ),
            format!(
                "{}\n{{\"a\":1}}\n2\n(one page was empty, see `szk logs`)\n(there is more: --cursor c1)",
                printable_lines("`browser_logs`\u{1b}[2J")
            )
        );
        assert_eq!(content(None, None, &[], None, &any), "");
    }
}
