//! Searches the tree for text.

use std::borrow::Cow;

use super::gather;
use super::item::{Item, Kind};
use super::lines;
use super::refs::{Refs, words};
use crate::Redactor;
use crate::redactor::HIDDEN;

/// Characters before a match in a long text, and half of those from it on.
const AROUND: usize = 80;
/// Characters of a text that is shown whole.
const LONG: usize = 400;

/// What to look for.
#[derive(Debug, Clone)]
pub struct Pattern(regex::Regex);

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The node's line, without indentation.
    pub line: String,
    /// Its ref.
    pub reference: String,
    /// The nodes around it, outermost first.
    pub path: Vec<String>,
}

/// Matches on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// The first of them.
    pub first: Vec<Found>,
    /// How many there are.
    pub total: usize,
    /// Only the beginning of the page, or of a frame in it, could be read and searched.
    pub partly: bool,
}

impl Pattern {
    /// Literal text, ignoring case.
    #[must_use]
    pub fn text(text: &str) -> Option<Self> {
        let text = szk_text::comparable(text);
        let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
        Self::build(&words.join(r"\s+"), true)
    }

    /// Literal text, or a regular expression between slashes, as in `/order \d+/i`. What has none of its signs
    /// is plain text, such as a path.
    ///
    /// # Errors
    /// What is wrong with the expression.
    pub fn written(written: &str) -> Result<Option<Self>, String> {
        let flagged = written
            .strip_prefix('/')
            .and_then(|rest| rest.rsplit_once('/'))
            .filter(|(source, flags)| {
                let known = flags.chars().all(|flag| "imsu".contains(flag));
                let signs =
                    source.contains(['\\', '[', ']', '(', ')', '{', '}', '^', '$', '+', '|']);
                let wild = source.contains(".*") || source.contains(".?");
                known && !source.is_empty() && (signs || wild || !flags.is_empty())
            });
        match flagged {
            Some((source, flags)) => Self::regex(source, flags.contains('i')).map(Some),
            None => Ok(Self::text(written)),
        }
    }

    /// A regular expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn regex(pattern: &str, ignore_case: bool) -> Result<Self, String> {
        regex::RegexBuilder::new(pattern)
            .case_insensitive(ignore_case)
            .size_limit(1 << 20)
            .build()
            .map(Self)
            .map_err(|error| error.to_string())
    }

    fn build(pattern: &str, ignore_case: bool) -> Option<Self> {
        Self::regex(pattern, ignore_case).ok()
    }

    fn fits(&self, item: &Item) -> bool {
        item.kind != Kind::Note
            && [&item.name, &item.value, &item.description]
                .iter()
                .any(|text| self.place(text).is_some())
    }

    /// Where it is in a text as it is, or else in what is seen of that.
    fn place<'a>(&self, text: &'a str) -> Option<(Cow<'a, str>, usize)> {
        let whole = self
            .0
            .find(text)
            .map(|at| (Cow::Borrowed(text), at.start()));
        whole.or_else(|| {
            let seen = szk_text::comparable(text);
            let at = self.0.find(&seen)?.start();
            Some((seen, at))
        })
    }

    /// Whether it asks for what is hidden, as answers show it.
    fn is_masked(&self) -> bool {
        let plain = self.0.as_str().replace('\\', "");
        plain.contains(HIDDEN)
    }

    /// What is around the match in a text that is longer than its line shows.
    fn excerpt(&self, text: &str, most: usize) -> Option<String> {
        let all = text.chars().count();
        let (text, at) = self.place(text).filter(|_| all > most)?;
        let begin = text[..at].char_indices().nth_back(AROUND - 1);
        let begin = begin.map_or(0, |(begin, _)| begin);
        let end = text[at..].char_indices().nth(2 * AROUND);
        let end = end.map_or(text.len(), |(length, _)| at + length);
        let before = if begin > 0 { "…" } else { "" };
        let after = if end < text.len() { "…" } else { "" };
        let part = text[begin..end].trim();
        Some(format!("{before}{part}{after} (of {all} characters)"))
    }
}

/// The first `limit` matches. What is hidden is found as answers show it, and only that is compared then: so it
/// tells nothing that they do not.
pub(super) fn find(
    items: &[Item],
    refs: &mut Refs,
    pattern: &Pattern,
    limit: usize,
    redactor: &Redactor,
) -> Matches {
    let is_masked = !redactor.is_empty() && pattern.is_masked();
    let fits = |item: &Item| {
        if !is_masked {
            return pattern.fits(item);
        }
        let mut shown = item.clone();
        for text in [&mut shown.name, &mut shown.value, &mut shown.description] {
            redactor.cover(text);
        }
        pattern.fits(&shown)
    };
    let mut found = Vec::new();
    let mut count = 0;
    // The ancestors of the current node.
    let mut around: Vec<&Item> = Vec::new();
    for item in items {
        around.truncate(
            around
                .iter()
                .take_while(|outer| outer.depth < item.depth)
                .count(),
        );
        if fits(item) {
            count += 1;
            if found.len() < limit {
                found.push(one(item, &around, refs, pattern));
            }
        }
        around.push(item);
    }
    Matches {
        first: found,
        total: count,
        partly: items
            .iter()
            .any(|item| item.kind == Kind::Note && item.name == gather::CUT),
    }
}

fn one(item: &Item, around: &[&Item], refs: &mut Refs, pattern: &Pattern) -> Found {
    // A text that is a node's only content has the node's ref; otherwise it has that of the
    // surrounding element.
    let holder = around.last().filter(|holder| holder.key == item.key);
    let target = match (item.kind, holder) {
        (Kind::Text, Some(holder)) => (*holder).clone(),
        _ => item.clone(),
    };
    let number = refs.number(&target);
    let mut flat = Item {
        depth: 0,
        ..item.clone()
    };
    if item.kind == Kind::Text
        && let Some(part) = pattern.excerpt(&item.name, LONG)
    {
        flat.name = part;
    }
    if let Some(part) = pattern.excerpt(&item.value, lines::VALUE) {
        flat.value = part;
    }
    let line = lines::line(&flat, (item.kind != Kind::Text).then_some(number), None);
    Found {
        line: line.trim_start_matches("- ").to_owned(),
        reference: format!("e{number}"),
        path: around
            .iter()
            .map(|outer| words(&outer.role, &outer.name).replace(" without a name", ""))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "0\tmain\t1\tr\t\t\t\t\n1\tlist\t2\tr\tFruit\t\t\t\n2\tlistitem\t3\t\t\t\t\t\n3\ttext\t3\tt\tGreen apple\t\t\t\n2\tbutton\t4\ti\tBuy Apple\t\t\t\n0\ttextbox\t5\ti\tSize\t\tapple\t";

    #[test]
    fn slashes_make_an_expression_of_what_has_its_signs() {
        let fits = |written: &str, text: &str| {
            let pattern = Pattern::written(written).unwrap().unwrap();
            pattern.0.is_match(text)
        };
        assert!(fits(r"/order \d+/", "order 12"));
        assert!(!fits(r"/order \d+/", "Order 12"));
        assert!(fits(r"/order \d+/i", "Order 12"));
        assert!(fits("/done/i", "all DONE"));
        assert!(fits("/usr/bin/", "in /usr/bin/env"));
        assert!(!fits("/usr/bin/", "usr bin"));
        assert!(Pattern::written("/(/").is_err());
    }

    #[track_caller]
    fn check(pattern: Pattern, expected: &[(&str, &str, &str)]) {
        let items = Item::read_all(1, PAGE);
        let none = Redactor::default();
        let matches = find(&items, &mut Refs::default(), &pattern, 10, &none);
        let found: Vec<(&str, &str, String)> = matches
            .first
            .iter()
            .map(|one| {
                (
                    one.line.as_str(),
                    one.reference.as_str(),
                    one.path.join(" > "),
                )
            })
            .collect();
        let found: Vec<(&str, &str, &str)> =
            found.iter().map(|(a, b, c)| (*a, *b, c.as_str())).collect();
        assert_eq!(
            (found.as_slice(), matches.total),
            (expected, expected.len())
        );
    }

    #[test]
    fn a_match_in_a_long_text_is_shown_with_what_is_around_it() {
        let long = format!("{} needle {}", "a".repeat(5000), "b".repeat(5000));
        let items = Item::read_all(1, &format!("0\ttext\t1\tt\t{long}\t\t\t"));
        let pattern = Pattern::text("needle").unwrap();
        let none = Redactor::default();
        let matches = find(&items, &mut Refs::default(), &pattern, 10, &none);
        let line = &matches.first[0].line;
        assert!(line.starts_with("text: …aaa"), "{line}");
        assert!(line.contains("a needle b"), "{line}");
        assert!(line.ends_with("b… (of 10008 characters)"), "{line}");
        assert!(line.chars().count() < 300 && !matches.partly, "{line}");
        let cut = [items, vec![Item::note(0, gather::CUT)]].concat();
        assert!(find(&cut, &mut Refs::default(), &pattern, 10, &none).partly);
    }

    #[test]
    fn what_nobody_sees_of_a_text_does_not_matter() {
        let items = Item::read_all(1, "0\ttext\t1\tt\tDaten\u{ad}schutz, E\u{301}tat\t\t\t");
        let found = |pattern: Pattern| {
            let none = Redactor::default();
            find(&items, &mut Refs::default(), &pattern, 10, &none).total
        };
        for text in [
            "datenschutz",
            "Daten\u{ad}schutz",
            "\u{e9}tat",
            "e\u{301}tat",
        ] {
            assert_eq!(found(Pattern::text(text).unwrap()), 1, "{text:?}");
        }
        for regex in ["Datenschutz", "Daten.schutz"] {
            assert_eq!(found(Pattern::regex(regex, false).unwrap()), 1, "{regex}");
        }
    }

    #[test]
    fn what_is_hidden_is_found_as_it_is_shown() {
        let page = "0\tbutton\t1\ti\thunter2 panel\t\t\t\n0\ttext\t2\tt\tnot *** hunter2\t\t\t";
        let items = Item::read_all(1, page);
        let redactor = Redactor::default();
        let find = |pattern: Option<Pattern>, redactor: &Redactor| {
            let found = find(
                &items,
                &mut Refs::default(),
                &pattern.unwrap(),
                10,
                redactor,
            );
            found.total
        };
        let text = Pattern::text;
        let regex = |written: &str| Pattern::regex(written, false).ok();
        assert_eq!(find(text("*** panel"), &redactor), 0);
        redactor.add("hunter2");
        assert_eq!(find(text("*** Panel"), &redactor), 1);
        assert_eq!(find(regex(r"^\*{3} panel|\*\*\* p"), &redactor), 1);
        assert_eq!(find(text("***"), &redactor), 2);
        assert_eq!(find(text("panel"), &redactor), 1);
        // A guess beside the mask fits nothing.
        assert_eq!(find(text("*** hunter2"), &redactor), 0);
    }

    #[test]
    fn text_and_expressions_are_found_with_their_place() {
        check(
            Pattern::text("APPLE").unwrap(),
            &[
                (
                    "text: Green apple",
                    "e1",
                    "main > list \"Fruit\" > listitem",
                ),
                ("button \"Buy Apple\" [e2]", "e2", "main > list \"Fruit\""),
                ("textbox \"Size\" [e3]: apple", "e3", ""),
            ],
        );
        check(
            Pattern::regex("^buy", true).unwrap(),
            &[("button \"Buy Apple\" [e1]", "e1", "main > list \"Fruit\"")],
        );
        check(Pattern::regex("^buy", false).unwrap(), &[]);
        check(Pattern::text("a+").unwrap(), &[]);
        let buy = [("button \"Buy Apple\" [e1]", "e1", "main > list \"Fruit\"")];
        check(Pattern::text("Buy\u{a0}App\u{ad}le").unwrap(), &buy);
        assert!(Pattern::regex("(", true).is_err());
    }
}
