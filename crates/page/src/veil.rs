//! Values that nobody is shown.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

/// What stands in the place of a value.
const HIDDEN: &str = "***";
/// A value of fewer characters is only hidden where it is all there is: as a part of other words it says
/// nothing, and hiding it would make them unreadable.
const SHORT: usize = 4;

/// Values that are hidden wherever they would be shown; cheap to clone. They were put into fields, and
/// pages repeat what is put into their fields.
#[derive(Clone, Default)]
pub struct Veil {
    // Nothing awaits under it.
    values: Arc<RwLock<Vec<String>>>,
}

impl Veil {
    /// Hides a value from now on, in all the ways it is written in addresses, forms and JSON.
    pub fn add(&self, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let escaped = Value::from(value).to_string();
        let mut forms = vec![
            value.to_owned(),
            escaped[1..escaped.len() - 1].to_owned(),
            encoded(value, "%20", "-_.!~*'()"),
            encoded(value, "+", "-_.*"),
            encoded(value, "%20", "-_.~"),
            markup(value),
        ];
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        forms.retain(|form| !values.contains(form));
        values.append(&mut forms);
        // The longest first: one may be a part of another.
        values.sort_by_key(|form| std::cmp::Reverse(form.len()));
        values.dedup();
    }

    /// Whether there is anything to hide.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let values = self.values.read();
        values.unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The text without them.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let mut shown = Cow::Borrowed(text);
        for value in values.iter() {
            let short = value.chars().count() < SHORT;
            if short && shown.trim() == value {
                return Cow::Borrowed(HIDDEN);
            }
            if !short && shown.contains(value.as_str()) {
                shown = Cow::Owned(shown.replace(value.as_str(), HIDDEN));
            }
        }
        shown
    }

    /// Takes them out of a text.
    pub fn cover(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.text(text) {
            *text = shown;
        } else if self.text(text) == HIDDEN {
            HIDDEN.clone_into(text);
        }
    }

    /// Takes them out of all texts and names in a value.
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

/// As in an address or a form; `plain` are the characters that stay beside letters and digits.
fn encoded(text: &str, space: &str, plain: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || plain.contains(c) {
            out.push(c);
        } else if c == ' ' {
            out.push_str(space);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(secret: &str, shown: &str, expected: &str) {
        let veil = Veil::default();
        veil.add(secret);
        let mut text = shown.to_owned();
        veil.cover(&mut text);
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
        check("hunter2", "nothing", "nothing");
    }

    #[test]
    fn short_values_are_hidden_where_they_stand_alone() {
        check("abc", "abcde", "abcde");
        check("abc", " abc ", "***");
    }

    #[test]
    fn values_in_json_are_hidden_too() {
        let veil = Veil::default();
        assert!(veil.is_empty());
        veil.add("hunter2");
        veil.add("123456");
        let mut value = json!({"a": ["x hunter2"], "hunter2": 1, "n": 123456, "b": true});
        veil.json(&mut value);
        assert_eq!(
            value,
            json!({"a": ["x ***"], "***": 1, "n": "***", "b": true})
        );
    }
}
