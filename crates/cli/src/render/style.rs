//! The few styles we use. None of them alone carries meaning.

use anstyle::{AnsiColor, Style};

/// Names and headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// Frames, labels, remarks.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Good news, and open things.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What deserves a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What can be typed or opened.
pub(crate) const USABLE: Style = AnsiColor::Cyan.on_default();

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
