//! The JSON that Chromium reads where it takes more than the standard allows: comments, and in strings
//! control characters, `\xHH` and `\v`. Commas at the end of a list are an error for it as well.

use std::iter::Peekable;
use std::str::Chars;

use serde_json::Value;

/// Parses a text as Chromium would. An error names the line of the original text.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&strict(text.trim_start_matches('\u{feff}')))
}

/// The same in standard JSON. What neither of them knows is left for the parser to refuse.
fn strict(text: &str) -> String {
    let mut strict = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match (next, rest.peek().copied()) {
            ('"', _) => string(&mut rest, &mut strict),
            ('/', Some('/')) => {
                while rest.next_if(|one| !matches!(one, '\n' | '\r')).is_some() {}
                strict.push(' ');
            }
            ('/', Some('*')) => block(&mut rest, &mut strict),
            _ => strict.push(next),
        }
    }
    strict
}

/// A comment after its first `/`: only its lines remain. One that does not end is an error.
fn block(rest: &mut Peekable<Chars<'_>>, strict: &mut String) {
    rest.next();
    strict.push(' ');
    let mut before = ' ';
    for next in rest.by_ref() {
        match next {
            '/' if before == '*' => return,
            '\n' => strict.push('\n'),
            _ => {}
        }
        before = next;
    }
    strict.push_str("/*");
}

/// A string after its first quotation mark.
fn string(rest: &mut Peekable<Chars<'_>>, strict: &mut String) {
    strict.push('"');
    while let Some(next) = rest.next() {
        match (next, rest.peek().copied()) {
            ('\\', Some('x')) => {
                rest.next();
                strict.push_str("\\u00");
            }
            ('\\', Some('v')) => {
                rest.next();
                strict.push_str("\\u000b");
            }
            ('\\', Some(_)) => {
                strict.push('\\');
                strict.extend(rest.next());
            }
            ('\0'..='\x1f', _) => strict.push_str(&format!("\\u{:04x}", u32::from(next))),
            ('"', _) => {
                strict.push('"');
                return;
            }
            _ => strict.push(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text).unwrap(), expected, "{text}");
    }

    #[test]
    fn what_chromium_reads_is_read() {
        check(r#"{"a": 1}"#, json!({"a": 1}));
        check(
            "\u{feff}// Ours.\r\n[1, // one\n2 /* two */]",
            json!([1, 2]),
        );
        check("[1] // at the end", json!([1]));
        check("/* a\n// b */ [/**/1/***/]", json!([1]));
        check(
            r#"{"url": "https://x/*", "quote": "\"//", "end": "\\"} // "more""#,
            json!({"url": "https://x/*", "quote": "\"//", "end": "\\"}),
        );
        check("[\"a\tb\nc\"]", json!(["a\tb\nc"]));
        check(r#"["\x41\v\\x42"]"#, json!(["A\u{b}\\x42"]));
    }

    #[test]
    fn what_chromium_refuses_is_refused_where_it_stands() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert_eq!(refused("/* a\n\n */ {\n\"a\": x}").line(), 4);
        assert_eq!(refused("// \"\n[1,]").line(), 2);
        for text in [
            "[1 /* ]",
            "[1/**/2]",
            "[1] /",
            r#"["\x4"]"#,
            "[\"a",
            "# a\n[]",
            "",
        ] {
            refused(text);
        }
    }
}
