//! Where a control is that nothing names: words of its states, in which the script reports it.

use super::item::Item;

/// Characters to show of a text of the page.
const SHOWN: usize = 40;
/// What the script writes for a space.
const SPACE: char = '\u{a0}';

/// A word of a line; those with text of the page are quoted.
pub(super) fn written(word: &str) -> String {
    match text(word) {
        Some((what, text)) => format!("{what}={}", szk_text::quoted(&text, SHOWN)),
        None => word.to_owned(),
    }
}

/// The text next to it, if that is what it goes by.
pub(super) fn near(item: &Item) -> Option<String> {
    let mut words = item.states.split(' ').filter_map(text);
    words
        .find(|(what, _)| *what == "near")
        .map(|(_, text)| text)
}

/// All words about its place, as they are written.
pub(super) fn of(item: &Item) -> String {
    let words = item.states.split(' ').filter(|word| is_place(word));
    words.map(written).collect::<Vec<_>>().join(" ")
}

/// The states without them: a place changes with what is around it.
pub(super) fn without(states: &str) -> String {
    let words: Vec<&str> = states.split(' ').filter(|word| !is_place(word)).collect();
    words.join(" ")
}

fn is_place(word: &str) -> bool {
    word.starts_with("nth=") || text(word).is_some()
}

fn text(word: &str) -> Option<(&str, String)> {
    let (what, text) = word.split_once('=')?;
    matches!(what, "near" | "in").then(|| (what, text.replace(SPACE, " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_and_written() {
        let page = "0\tbutton\t1\ti\t\tdisabled near=a\u{a0}\"b\"\u{a0}[e9] nth=2/3\t\t";
        let item = &Item::read_all(1, page)[0];
        assert_eq!(near(item).as_deref(), Some("a \"b\" [e9]"));
        assert_eq!(of(item), "near=\"a \\\"b\\\" [e9]\" nth=2/3");
        assert_eq!(without(&item.states), "disabled");
        assert_eq!(written("in=toolbar"), "in=\"toolbar\"");
        assert_eq!(written("name=in"), "name=in");
    }
}
