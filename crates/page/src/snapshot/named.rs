//! Finds what people mean by its name: the name or text that they read, and its role.

use super::item::{Item, Kind};
use super::place;
use super::refs::Refs;
use crate::Redactor;
use crate::redactor::HIDDEN;

/// Most candidates to report.
const MOST: usize = 10;
/// Names of controls to report when nothing fits.
const NAMES: usize = 12;

/// What a name may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its ref.
    pub reference: String,
    /// Role, name and ref.
    pub line: String,
    /// It is no control, so that the words themselves are meant, wherever they are in it.
    pub says: bool,
}

/// What a name and a role fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// What fits best: one if the name is unique.
    pub candidates: Vec<Candidate>,
    /// How many fit that well.
    pub count: usize,
    /// Names of controls, when nothing fits.
    pub names: Vec<String>,
}

/// How well something fits; the first kind that there is of wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// A control of exactly this name.
    Control,
    /// Something else that says exactly this.
    Exact,
    /// A control whose name contains it.
    Part,
    /// Something else that contains it.
    Within,
    /// A control without a name next to it.
    Near,
}

/// A name that is looked for.
struct Wanted<'a> {
    words: String,
    /// What hides parts of names from whoever gave this one, if it has such a part.
    hides: Option<&'a Redactor>,
}

impl<'a> Wanted<'a> {
    fn of(name: &str, redactor: &'a Redactor) -> Self {
        let is_masked = name.contains(HIDDEN) && !redactor.is_empty();
        Self {
            words: plain(name, is_masked),
            hides: is_masked.then_some(redactor),
        }
    }

    /// Whether a text fits. A name with a hidden part is compared only with what answers show of the text: so it
    /// tells nothing that they do not.
    fn fits(&self, text: &str, fits: impl Fn(&str, &str) -> bool) -> bool {
        match self.hides {
            None => fits(&plain(text, false), &self.words),
            Some(redactor) => redactor
                .shown(text)
                .iter()
                .any(|shown| fits(&plain(shown, true), &self.words)),
        }
    }
}

/// Finds what fits a name, a role, or both.
pub(super) fn named(
    items: &[Item],
    refs: &mut Refs,
    name: Option<&str>,
    role: Option<&str>,
    redactor: &Redactor,
) -> Named {
    let wanted = name.map(|name| Wanted::of(name, redactor));
    // The page itself does not say them like this.
    let is_masked = wanted.as_ref().is_some_and(|wanted| wanted.hides.is_some());
    let role = role.map(str::to_lowercase);
    let mut best: Option<Fit> = None;
    let mut found: Vec<&Item> = Vec::new();
    for at in 0..items.len() {
        let item = holder(items, at);
        if role.as_ref().is_some_and(|role| *role != item.role) {
            continue;
        }
        let texts = [&items[at].name, &items[at].description];
        let Some(fit) = fit(&items[at], wanted.as_ref(), texts) else {
            continue;
        };
        if found.iter().any(|known| known.key == item.key) && best.is_some_and(|best| best <= fit) {
            continue;
        }
        if best.is_none_or(|best| fit < best) {
            best = Some(fit);
            found.clear();
        }
        if best == Some(fit) {
            found.push(item);
        }
    }
    let line = |item: &&Item, refs: &mut Refs| {
        let number = refs.number(item);
        Candidate {
            reference: format!("e{number}"),
            line: line(item, number),
            says: wanted.is_some()
                && !is_masked
                && item.kind != Kind::Control
                && best != Some(Fit::Near),
        }
    };
    let count = found.len();
    let shown = found.iter().take(MOST);
    let candidates = shown.map(|item| line(item, refs)).collect();
    let names = match count {
        0 => names(items),
        _ => Vec::new(),
    };
    Named {
        candidates,
        count,
        names,
    }
}

/// Role, name and ref; a place where there is no name.
pub(super) fn line(item: &Item, number: u32) -> String {
    let name = match (item.name.as_str(), place::of(item)) {
        ("", place) if place.is_empty() => String::new(),
        ("", place) => format!(" {place}"),
        (name, _) => format!(" {}", szk_text::quoted(name, 80)),
    };
    format!("{}{name} [e{number}]", item.role)
}

/// A text that is a node's content stands for the node.
fn holder(items: &[Item], at: usize) -> &Item {
    let item = &items[at];
    if item.kind != Kind::Text {
        return item;
    }
    let before = items[..at].iter().rev();
    let mut around = before.filter(|outer| outer.depth < item.depth);
    around
        .next()
        .filter(|outer| outer.key == item.key)
        .unwrap_or(item)
}

fn fit(item: &Item, wanted: Option<&Wanted<'_>>, texts: [&String; 2]) -> Option<Fit> {
    if matches!(item.kind, Kind::Note) || item.key.number == 0 {
        return None;
    }
    let works = matches!(item.kind, Kind::Control | Kind::Clickable);
    let Some(wanted) = wanted else {
        return Some(if works { Fit::Control } else { Fit::Exact });
    };
    if wanted.words.is_empty() {
        return None;
    }
    let is = |text: &str| wanted.fits(text, |text, words| text == words);
    if texts.iter().any(|text| is(text.as_str())) {
        return Some(if works { Fit::Control } else { Fit::Exact });
    }
    if wanted.fits(texts[0], |text, words| text.contains(words)) {
        return Some(if works { Fit::Part } else { Fit::Within });
    }
    let near = || place::near(item).is_some_and(|near| is(&near));
    (works && item.name.is_empty() && near()).then_some(Fit::Near)
}

/// As people say it: no matter the case, the spaces, and the marks behind a label. The stars of a hidden part are
/// no such marks.
fn plain(text: &str, is_masked: bool) -> String {
    let mut text = szk_text::comparable(text).to_lowercase();
    while text.ends_with([':', '*', '…', ' ']) && !(is_masked && text.ends_with(HIDDEN)) {
        text.pop();
    }
    text
}

fn names(items: &[Item]) -> Vec<String> {
    let works = items.iter().filter(|item| {
        matches!(item.kind, Kind::Control | Kind::Clickable) && !item.name.is_empty()
    });
    works
        .take(NAMES)
        .map(|item| szk_text::quoted(&item.name, 40))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "0\tbutton\t1\ti\tSave\t\t\t\n0\tbutton\t2\ti\tSave as\t\t\t\n0\tlink\t3\ti\tSave\t\t\t\n0\ttextbox\t4\ti\tE-mail: *\t\t\t\n0\tparagraph\t5\t\t\t\t\t\n1\ttext\t5\tt\tTerms  apply\t\t\t\n0\tgeneric\t6\tc\tCard\t\t\t";

    #[track_caller]
    fn check(name: Option<&str>, role: Option<&str>, expected: &[&str]) -> Named {
        let items = Item::read_all(1, PAGE);
        let named = named(
            &items,
            &mut Refs::default(),
            name,
            role,
            &Redactor::default(),
        );
        let lines: Vec<&str> = named.candidates.iter().map(|one| &*one.line).collect();
        assert_eq!((lines.as_slice(), named.count), (expected, expected.len()));
        named
    }

    #[test]
    fn words_are_meant_where_they_are_unless_a_control_is_called_that() {
        let items = Item::read_all(1, PAGE);
        let mut refs = Refs::default();
        let none = Redactor::default();
        let mut says = |name, role| named(&items, &mut refs, name, role, &none).candidates[0].says;
        assert!(says(Some("terms"), None) && says(Some("Card"), None));
        assert!(!says(Some("Save"), Some("button")) && !says(None, Some("textbox")));
    }

    #[test]
    fn what_has_no_name_goes_by_what_is_next_to_it() {
        let page = "0\ttext\t1\tt\tMilk\t\t\t\n0\tbutton\t2\ti\t\tnear=Milk nth=1/2\t\t\n0\tbutton\t3\ti\t\tnear=Milk nth=2/2\t\t\n0\tbutton\t4\ti\t\tnear=Rye\u{a0}bread\t\t";
        let items = Item::read_all(1, page);
        let none = Redactor::default();
        let find = |name, role| named(&items, &mut Refs::default(), Some(name), role, &none);
        let bread = find("rye bread", None);
        assert_eq!(bread.candidates[0].line, "button near=\"Rye bread\" [e1]");
        assert!(!bread.candidates[0].says);
        // The text itself comes first, unless a control is meant.
        assert_eq!(find("Milk", None).candidates[0].line, "text \"Milk\" [e1]");
        let two = find("Milk", Some("button"));
        assert_eq!(two.count, 2);
        assert_eq!(two.candidates[1].line, "button near=\"Milk\" nth=2/2 [e2]");
    }

    /// A name with a hidden part is good for what a ref is good for, and for nothing else.
    #[test]
    fn a_name_with_a_hidden_part_is_found_as_it_is_shown() {
        let page = "0\tbutton\t1\ti\thunter2 panel\t\t\t\n0\tbutton\t2\ti\tOpen hunter2: *\t\t\t\n0\tgeneric\t3\t\thunter2\t\t\t\n0\tbutton\t4\ti\tOpen\t\t\t";
        let items = Item::read_all(1, page);
        let redactor = Redactor::default();
        redactor.add("hunter2");
        let find = |name: &str, redactor: &Redactor| {
            let found = named(&items, &mut Refs::default(), Some(name), None, redactor);
            let lines = found.candidates.iter().map(|one| one.line.clone());
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            find("*** Panel", &redactor),
            ["button \"hunter2 panel\" [e1]"]
        );
        assert_eq!(
            find("open ***", &redactor),
            ["button \"Open hunter2: *\" [e1]"]
        );
        assert_eq!(find("***", &redactor), ["generic \"hunter2\" [e1]"]);
        // A guess beside the mask fits nothing, and where nothing is hidden stars are marks.
        for guess in ["hunter2 ***", "*** hunter2", "h*** panel"] {
            assert!(find(guess, &redactor).is_empty(), "{guess}");
        }
        assert_eq!(
            find("open ***", &Redactor::default()),
            ["button \"Open\" [e1]"]
        );
        let masked = named(&items, &mut Refs::default(), Some("***"), None, &redactor);
        assert!(!masked.candidates[0].says, "the page says it otherwise");
    }

    #[test]
    fn names_are_found_as_people_say_them() {
        check(Some("card"), None, &["generic \"Card\" [e1]"]);
        check(Some("Sa\u{ad}ve as"), None, &["button \"Save as\" [e1]"]);
        check(Some("E-Mail"), None, &["textbox \"E-mail: *\" [e1]"]);
        check(Some("terms apply"), None, &["paragraph [e1]"]);
        check(Some("save a"), None, &["button \"Save as\" [e1]"]);
        check(None, Some("textbox"), &["textbox \"E-mail: *\" [e1]"]);
        // A control of exactly that name comes before those that contain it.
        check(Some("save"), Some("button"), &["button \"Save\" [e1]"]);
        let two = ["button \"Save\" [e1]", "link \"Save\" [e2]"];
        check(Some("Save"), None, &two);
        let none = check(Some("Delete"), None, &[]);
        assert_eq!(none.names[..2], ["\"Save\"", "\"Save as\""]);
        check(Some(" "), None, &[]);
    }
}
