//! Lone UTF-16 surrogates, which JSON from JavaScript may contain and a Rust string may not.
//!
//! A client that cuts a text between the two halves of an emoji sends one. Unrepaired, its request
//! would not be valid JSON, would be answered without an id, and the client would wait forever.

/// The JSON with every lone surrogate escape replaced by U+FFFD; `None` if there is none.
pub(crate) fn mend(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended = json.to_vec();
    let mut changed = false;
    let mut at = 0;
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match escape(json, at) {
            None => 2,
            Some(0xD800..=0xDBFF) if matches!(escape(json, at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                mended[at + 2..at + 6].copy_from_slice(b"FFFD");
                changed = true;
                6
            }
            Some(_) => 6,
        };
    }
    changed.then_some(mended)
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn escape(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let found = mend(json.as_bytes()).map(|mended| String::from_utf8(mended).unwrap());
        assert_eq!(found.as_deref(), expected, "{json}");
    }

    #[test]
    fn only_lone_surrogates_are_replaced() {
        check(r#""a\ud83d""#, Some(r#""a\uFFFD""#));
        check(r#""\ude00b""#, Some(r#""\uFFFDb""#));
        check(r#""\ud83d\ud83d\ude00""#, Some(r#""\uFFFD\ud83d\ude00""#));
        check(r#""\ud83d\ude00 \u00e4 \n""#, None);
        check(r#""\\ud83d""#, None);
        check(r#""\ud8"#, None);
        check("\\", None);
    }
}
