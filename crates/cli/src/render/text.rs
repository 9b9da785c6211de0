//! Makes text of unknown origin safe for a terminal and fits it to columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` without anything that could control a terminal: control characters (escape sequences start
/// with one) and marks that change the writing direction. Line breaks and tabs become spaces.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !steers(*c))
        .collect()
}

/// Like [`printable`], but keeps line breaks.
pub(crate) fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(printable).collect();
    lines.join("\n")
}

/// How many columns `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `columns` columns, with an ellipsis where it was cut.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let mut kept: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .collect();
    kept.push('…');
    kept
}

/// `text` padded with spaces to `columns` columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Unicode's control characters, line and paragraph separators, and bidirectional formatting.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(printable("a\x1b[31mb\u{9b}c\r\nd\te"), "a[31mbc  d e");
        assert_eq!(printable("gpj.\u{202e}exe"), "gpj.exe");
        assert_eq!(printable_lines("a\x07\nb"), "a\nb");
    }

    #[test]
    fn cutting_counts_columns() {
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdef", 5), "abcd…");
        assert_eq!(clip("日本語", 5), "日本…");
        assert_eq!(clip("日本語", 4), "日…");
        assert_eq!(pad("日本", 6), "日本  ");
    }
}
