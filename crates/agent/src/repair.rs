//! Reads JSON as models write it: in fences, with trailing commas, single quotes, bare keys, cut off.
//!
//! What is valid is read as it is. What is not goes through a forgiving parser that never fails on a value
//! that has begun: it closes what is open.

use serde_json::{Map, Number, Value};

/// Deepest nesting; models write none deeper, and the parser calls itself.
const DEEPEST: usize = 64;

/// What a text was read as.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// Whether the text was not JSON as it stood.
    pub repaired: bool,
}

/// Reads the JSON in a text; `None` if it has none.
#[must_use]
pub fn json(text: &str) -> Option<Repaired> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(Repaired {
            value,
            repaired: false,
        });
    }
    let inner = fenced(text);
    let value = serde_json::from_str(inner).ok().or_else(|| {
        let start = inner.find(['{', '['])?;
        let mut reader = Reader {
            rest: &inner[start..],
            depth: 0,
        };
        reader.value()
    })?;
    Some(Repaired {
        value,
        repaired: true,
    })
}

/// What stands in the first code fence that holds JSON, or the whole text.
fn fenced(text: &str) -> &str {
    let before = text.find(['{', '[']).unwrap_or(text.len());
    let Some(open) = text[..before].rfind("```") else {
        return text.trim();
    };
    let inner = &text[open + 3..];
    let inner = inner.split_once('\n').map_or(inner, |(language, rest)| {
        if language.contains(['{', '[']) {
            inner
        } else {
            rest
        }
    });
    // A fence within a string of the JSON is not its end.
    match inner.rfind("```") {
        Some(end) => inner[..end].trim(),
        None => inner.trim(),
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let first = self.peek()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else {
                return;
            }
        }
    }

    fn value(&mut self) -> Option<Value> {
        self.space();
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = match self.peek()? {
            '{' => Some(self.object()),
            '[' => Some(self.list()),
            quote @ ('"' | '\'' | '`' | '“') => Some(Value::String(self.string(quote))),
            ',' | ':' | '}' | ']' => None,
            _ => Some(self.bare()),
        };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Value {
        self.take();
        let mut fields = Map::new();
        loop {
            self.space();
            match self.peek() {
                None => break,
                Some('}') => {
                    self.take();
                    break;
                }
                // A list was closed that this object stands in.
                Some(']') => break,
                Some(',' | ':') => {
                    self.take();
                    continue;
                }
                Some(_) => {}
            }
            let Some(name) = self.name() else { break };
            self.space();
            if matches!(self.peek(), Some(':' | '=')) {
                self.take();
                if self.rest.starts_with('>') {
                    self.take();
                }
            }
            let value = self.value().unwrap_or(Value::Null);
            fields.insert(name, value);
        }
        Value::Object(fields)
    }

    fn list(&mut self) -> Value {
        self.take();
        let mut items = Vec::new();
        loop {
            self.space();
            match self.peek() {
                None | Some('}') => break,
                Some(']') => {
                    self.take();
                    break;
                }
                Some(',' | ':') => {
                    self.take();
                }
                Some(_) => match self.value() {
                    Some(value) => items.push(value),
                    None => break,
                },
            }
        }
        Value::Array(items)
    }

    fn name(&mut self) -> Option<String> {
        match self.peek()? {
            quote @ ('"' | '\'' | '`' | '“') => Some(self.string(quote)),
            _ => {
                let end = self
                    .rest
                    .find(|c: char| {
                        matches!(c, ':' | '=' | ',' | '{' | '}' | '[' | ']') || c.is_whitespace()
                    })
                    .unwrap_or(self.rest.len());
                let name = self.rest[..end].to_owned();
                self.rest = &self.rest[end..];
                (!name.is_empty()).then_some(name)
            }
        }
    }

    fn string(&mut self, quote: char) -> String {
        self.take();
        let end = if quote == '“' { '”' } else { quote };
        let mut text = String::new();
        while let Some(c) = self.take() {
            match c {
                c if c == end => break,
                '\\' => self.escape(&mut text),
                c => text.push(c),
            }
        }
        text
    }

    fn escape(&mut self, text: &mut String) {
        match self.take() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('u') => text.push(self.unicode()),
            Some(other) => text.push(other),
            None => {}
        }
    }

    fn unicode(&mut self) -> char {
        let Some(first) = self.hex() else {
            return char::REPLACEMENT_CHARACTER;
        };
        if (0xD800..0xDC00).contains(&first) {
            let before = self.rest;
            if let Some(rest) = self.rest.strip_prefix("\\u") {
                self.rest = rest;
                if let Some(second) = self.hex().filter(|one| (0xDC00..0xE000).contains(one)) {
                    let both = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                    return char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER);
                }
                self.rest = before;
            }
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest.get(..4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        self.rest = &self.rest[4..];
        Some(number)
    }

    /// A number, a word such as `True`, or text without quotes.
    fn bare(&mut self) -> Value {
        let end = self.rest.find([',', '}', ']', '\n']);
        let end = end.unwrap_or(self.rest.len());
        let text = self.rest[..end].trim();
        self.rest = &self.rest[end..];
        match text {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "undefined" | "NaN" => Value::Null,
            text => number(text).map_or_else(|| text.into(), Value::Number),
        }
    }
}

fn number(text: &str) -> Option<Number> {
    let text = text.strip_prefix('+').unwrap_or(text);
    serde_json::from_str(text).ok().or_else(|| {
        let starts = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
        let number: f64 = starts.then(|| text.parse().ok())??;
        Number::from_f64(number)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        let read = json(text).unwrap_or_else(|| panic!("no JSON in {text}"));
        assert_eq!(read.value, expected, "{text}");
        assert!(read.repaired, "{text}");
    }

    #[test]
    fn what_models_get_wrong_is_repaired() {
        check("```json\n{\"a\": 1}\n```", json!({"a": 1}));
        check(
            "Here it is:\n```\n{\"a\": \"```\"}\n```\nDone.",
            json!({"a": "```"}),
        );
        check("{\"a\": 1,}", json!({"a": 1}));
        check("[1, 2, ]", json!([1, 2]));
        check("{'a': 'it\\'s'}", json!({"a": "it's"}));
        check(
            "{a: 1, b_c: [true, False, None]}",
            json!({"a": 1, "b_c": [true, false, null]}),
        );
        check("{\"a\": {\"b\": [1, \"tw", json!({"a": {"b": [1, "tw"]}}));
        check("{\"a\": ", json!({"a": null}));
        check("{\"a\" 1}", json!({"a": 1}));
        check("{\"a\": 1 \"b\": 2}", json!({"a": "1 \"b\": 2"}));
        check("{\"a\": \"line\nbreak\"}", json!({"a": "line\nbreak"}));
        check("{\"a\": 1} and more", json!({"a": 1}));
        check(
            "{\"a\": 1, // one\n \"b\": /* two */ 2}",
            json!({"a": 1, "b": 2}),
        );
        check(
            "{\"a\": '\\ud83d\\ude00', \"b\": .5}",
            json!({"a": "😀", "b": 0.5}),
        );
        check("{“a”: “b”}", json!({"a": "b"}));
        assert_eq!(json("I do not know"), None);
        assert_eq!(json(""), None);
        assert!(json(&"[".repeat(100_000)).is_some());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_never_panics(text in "[\\[\\]{}\"'`:,\\\\/*a-zu0-9\n .é“”-]{0,60}") {
            drop(json(&text));
        }

        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            drop(json(&text));
        }

        #[test]
        fn valid_json_is_unchanged(value in any_json()) {
            let read = json(&value.to_string()).unwrap();
            prop_assert_eq!(read.value, value);
            prop_assert!(!read.repaired);
        }

        #[test]
        fn what_is_cut_off_keeps_its_beginning(value in any_json(), cut in 1..200usize) {
            let whole = json!({ "first": 1, "rest": value }).to_string();
            let begun = "{\"first\":1,".len();
            let cut = (begun + cut).min(whole.len());
            let cut = (0..=cut).rev().find(|at| whole.is_char_boundary(*at)).unwrap();
            let read = json(&whole[..cut]).unwrap();
            prop_assert_eq!(&read.value["first"], &json!(1));
        }
    }
}
