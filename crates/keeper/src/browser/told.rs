//! What pages say of themselves, as data: as it is, and not endless.

/// Characters of titles and names.
const TITLE: usize = 1_000;
/// Characters of addresses; pages can make them of megabytes.
const ADDRESS: usize = 8_000;
/// Characters of what dialogs say.
const MESSAGE: usize = 4_000;

/// A title or a name.
pub(crate) fn title(text: &str) -> String {
    szk_text::head(text, TITLE)
}

/// An address.
pub(crate) fn address(url: &str) -> String {
    szk_text::head(url, ADDRESS)
}

/// The text of a dialog.
pub(crate) fn message(text: &str) -> String {
    szk_text::head(text, MESSAGE)
}

/// A title as a line of an answer shows it.
pub(crate) fn title_line(text: &str) -> String {
    szk_text::line(text, 200)
}
