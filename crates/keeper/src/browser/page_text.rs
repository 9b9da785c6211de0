//! What pages say of themselves, as data: as it is, and not endless.

use super::{shown, view};

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

/// A title as a line of an answer shows it; many pages have none.
fn title_line(text: &str) -> Option<String> {
    let line = szk_text::line(text, 200);
    Some(line).filter(|line| !line.trim().is_empty())
}

/// The first line about what was read in a tab: which page is in it.
pub(crate) fn heading(tab: &str, title: &str, url: &str) -> String {
    let title = title_line(title).map_or_else(String::new, |_| format!(" {}", view::quoted(title)));
    format!("{tab}{title} at {}", shown(url))
}

/// The line below an answer that tells the title of a page.
pub(crate) fn title_below(text: &str) -> String {
    title_line(text).map_or_else(String::new, |title| format!("\ntitle: {title}"))
}

/// A tab as a line of a list: how it is called, and the page in it.
pub(crate) fn tab_line(called: &str, url: &str, title: &str) -> String {
    let parts = [Some(called.to_owned()), Some(shown(url)), title_line(title)];
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    format!("- {}", parts.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_title_has_no_line_or_place_for_it() {
        assert_eq!(title_below("A\tB"), "\ntitle: A B");
        assert_eq!(title_below(""), "");
        assert_eq!(title_below(" \n"), "");
        let line = |title| tab_line("t1 (current)", "http://a/", title);
        assert_eq!(line("A"), "- t1 (current) http://a/ A");
        assert_eq!(line(""), "- t1 (current) http://a/");
        assert_eq!(tab_line("t2", "", ""), "- t2");
        assert_eq!(
            heading("t1", "A\tB", "http://a/"),
            "t1 \"A B\" at http://a/"
        );
        assert_eq!(heading("t1", " ", "http://a/"), "t1 at http://a/");
    }
}
