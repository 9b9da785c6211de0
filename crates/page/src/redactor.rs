//! The redactor: hides secret values in texts.

mod written;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use self::written::Written;

/// What replaces a value.
pub(crate) const HIDDEN: &str = "***";
/// Shorter values are only hidden where they stand alone: as part of other words they reveal nothing,
/// and hiding them would make the words unreadable.
const SHORT: usize = 4;

/// Behind it a line of ours has foreign text.
const FOREIGN: &str = ": ";

/// Values to hide wherever they would be shown; cheap to clone. They were filled into fields, and
/// pages repeat what is in their fields.
#[derive(Clone, Default)]
pub struct Redactor {
    // Nothing awaits under it.
    values: Arc<RwLock<Vec<Written>>>,
}

impl Redactor {
    /// Hides a value from now on, however an address, a form, JSON, HTML or
    /// Markdown writes it.
    /// Returns whether it is new.
    pub fn add(&self, value: &str) -> bool {
        let value = value.trim();
        if value.is_empty() {
            return false;
        }
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        if values.iter().any(|known| known.is(value)) {
            return false;
        }
        values.push(Written::of(value));
        // Longest first: one may be part of another.
        values.sort_by_key(|known| std::cmp::Reverse(known.len()));
        true
    }

    /// Whether there is anything to hide.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let values = self.values.read();
        values.unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The text without these values.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let mut shown = Cow::Borrowed(text);
        for value in values.iter() {
            if value.len() >= SHORT {
                if let Some(hidden) = replaced(&shown, value) {
                    shown = Cow::Owned(hidden);
                }
            } else if value.is_all_of(shown.trim()) {
                return Cow::Borrowed(HIDDEN);
            }
        }
        shown
    }

    /// Removes them from a text.
    pub fn cover(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.text(text) {
            *text = shown;
        } else if self.text(text) == HIDDEN {
            HIDDEN.clone_into(text);
        }
    }

    /// Removes them from what we say about a page ourselves.
    ///
    /// A value that could be a word of ours (`wrong`, `tab`, `500`) is hidden only where a page's or a
    /// caller's text is: in quotes, in backticks, and after the colon of a line. In our own words it
    /// reveals nothing, and the gap would give it away. Any other value is hidden everywhere.
    pub fn said(&self, text: &mut String) {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        for value in values.iter() {
            if could_be_ours(value) {
                if value.find(text, 0).is_some() {
                    *text = text
                        .split('\n')
                        .map(|line| without(line, value))
                        .collect::<Vec<_>>()
                        .join("\n");
                }
            } else if value.len() >= SHORT
                && let Some(hidden) = replaced(text, value)
            {
                *text = hidden;
            }
        }
    }

    /// A text as answers show it: in data, and in what we say about a page ourselves.
    #[must_use]
    pub fn shown(&self, text: &str) -> [String; 2] {
        let mut said = format!("{FOREIGN}{text}");
        self.said(&mut said);
        let said = said.strip_prefix(FOREIGN).unwrap_or(&said);
        [self.text(text).into_owned(), said.to_owned()]
    }

    /// Removes them from all texts in a value; its names are ours or the caller's.
    pub fn values(&self, value: &mut Value) {
        match value {
            Value::Object(map) => map.values_mut().for_each(|value| self.values(value)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.values(item)),
            other => self.json(other),
        }
    }

    /// Removes them from all texts and names in a value.
    pub fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.cover(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(map) => {
                if map.keys().any(|key| self.text(key) != key.as_str()) {
                    let old = std::mem::take(map);
                    map.extend(
                        old.into_iter()
                            .map(|(key, value)| (self.text(&key).into_owned(), value)),
                    );
                }
                map.values_mut().for_each(|value| self.json(value));
            }
            Value::Number(number) => {
                let written = number.to_string();
                if self.text(&written) != written {
                    *value = Value::from(HIDDEN);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// The text without the value; `None` if it has none.
fn replaced(text: &str, value: &Written) -> Option<String> {
    let mut found = value.find(text, 0)?;
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    loop {
        out.push_str(&text[from..found.start]);
        out.push_str(HIDDEN);
        from = found.end;
        let Some(next) = value.find(text, from) else {
            break;
        };
        found = next;
    }
    out.push_str(&text[from..]);
    Some(out)
}

/// Whether a value looks like a word, a number or a ref that szk itself writes.
fn could_be_ours(value: &Written) -> bool {
    const LONGEST: usize = 20;
    let all = |of: fn(char) -> bool| value.chars().all(of);
    let reference = |value: &Written| {
        let mut chars = value.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && value.len() > 1
            && chars.all(|c| c.is_ascii_digit())
    };
    value.len() <= LONGEST
        && (all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '-'))
            || all(|c| c.is_ascii_uppercase() || c == '_')
            || all(|c| c.is_ascii_digit())
            || reference(value))
}

/// A line of ours without a word, in the places of foreign text.
fn without(line: &str, word: &Written) -> String {
    let mut out = String::with_capacity(line.len());
    // What closes the foreign text. A space does not close it: that text runs to the end of the line.
    let mut closing = None;
    let mut escaped = false;
    let mut before = None;
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let rest = &line[at..];
        if closing.is_some()
            && whole(before)
            && let Some(end) = word.end(rest)
            && whole(rest[end..].chars().next())
        {
            out.push_str(HIDDEN);
            at += end;
            before = word.chars().last();
            continue;
        }
        match closing {
            None if matches!(c, '"' | '`') => closing = Some(c),
            None if c == ':' && rest[1..].starts_with(' ') => closing = Some(' '),
            Some(end) if end == c && c != ' ' && !escaped => closing = None,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
        before = Some(c);
        at += c.len_utf8();
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(secret: &str, shown: &str, expected: &str) {
        let redactor = Redactor::default();
        redactor.add(secret);
        let mut text = shown.to_owned();
        redactor.cover(&mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_value_is_hidden_however_it_is_written() {
        check("hunter2", "wrong: hunter2!", "wrong: ***!");
        check("a b&c", "?p=a+b%26c&q=1", "?p=***&q=1");
        check("a b&c", "?p=a%20b%26c", "?p=***");
        check("a b&c", "<b>a b&amp;c</b>", "<b>***</b>");
        check(r#"say "hi""#, r#"{"p":"say \"hi\""}"#, r#"{"p":"***"}"#);
        check("pässword", "p%C3%A4ssword", "***");
        check("my_pass_1", r"is my\_pass\_1.", "is ***.");
        check("p@ss w+rd/é", "/in#p@ss%20w+rd/%C3%A9", "/in#***");
        check("pässword", "?p=p%E4ssword&q=1", "?p=***&q=1");
        check("hunter2", "hunter2 and hunter2", "*** and ***");
        check("hunter2", "nothing", "nothing");
    }

    #[test]
    fn short_values_are_hidden_where_they_stand_alone() {
        check("abc", "abcde", "abcde");
        check("abc", " abc ", "***");
    }

    #[track_caller]
    fn said(secret: &str, shown: &str, expected: &str) {
        let redactor = Redactor::default();
        redactor.add(secret);
        let mut text = shown.to_owned();
        redactor.said(&mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn a_secret_that_is_a_word_of_ours_is_hidden_in_the_text_of_others_only() {
        said("wrong", "wrong user or password", "wrong user or password");
        said(
            "wrong",
            "the page says `all wrong`",
            "the page says `all ***`",
        );
        said(
            "button",
            "- button \"The \\\"button\" [e5]\n- text: a button",
            "- button \"The \\\"***\" [e5]\n- text: a ***",
        );
        said("e12", "- link \"e12\" [e12]", "- link \"***\" [e12]");
        said("5000", "no answer in 5000 ms", "no answer in 5000 ms");
        said(
            "browser",
            "see `browser_logs`: browser",
            "see `browser_logs`: ***",
        );
        // Anything else is hidden wherever it occurs.
        //
        said("hunter2", "wrong user hunter2", "wrong user ***");
        said("Wrong", "Wrong password", "*** password");
        said(
            "my_pass",
            r#"- link "my_pass, my\_pass, my_pass1""#,
            r#"- link "***, ***, my_pass1""#,
        );
    }

    #[test]
    fn a_text_is_shown_in_two_ways() {
        let shown = |secret: &str, text: &str| {
            let redactor = Redactor::default();
            redactor.add(secret);
            redactor.shown(text)
        };
        assert_eq!(
            shown("hunter2", "hunter2 panel"),
            ["*** panel", "*** panel"]
        );
        // Of a short one, and of one that could be a word of ours, each hides something else.
        assert_eq!(shown("abc", "abc panel"), ["abc panel", "*** panel"]);
        assert_eq!(shown("panel", "panels"), ["***s", "panels"]);
        assert_eq!(shown("hunter2", "Save"), ["Save", "Save"]);
    }

    #[test]
    fn names_in_typed_values_stay() {
        let redactor = Redactor::default();
        redactor.add("title");
        let mut value = json!({"title": "my title"});
        redactor.values(&mut value);
        assert_eq!(value, json!({"title": "my ***"}));
    }

    #[test]
    fn values_in_json_are_hidden_too() {
        let redactor = Redactor::default();
        assert!(redactor.is_empty());
        redactor.add("hunter2");
        redactor.add("123456");
        let mut value = json!({"a": ["x hunter2"], "hunter2": 1, "n": 123456, "b": true});
        redactor.json(&mut value);
        assert_eq!(
            value,
            json!({"a": ["x ***"], "***": 1, "n": "***", "b": true})
        );
    }
}
