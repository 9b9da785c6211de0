//! Lone surrogates.
//!
//! JavaScript strings are UTF-16 and may contain half of a surrogate pair. Chromium writes it as an
//! escape that Rust strings cannot hold.

/// Replaces escapes of lone surrogates with the replacement character's.
pub(super) fn mend(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let keep = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // The escaped character may be a backslash, or be missing.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..keep]);
        rest = &rest[keep..];
    }
    mended.push_str(rest);
    mended
}

/// The code unit of a `\uXXXX` at the start.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        assert_eq!(mend(json), expected);
    }

    #[test]
    fn pairs_stay_and_lone_surrogates_are_replaced() {
        check(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
        check(r#""\ud83d""#, r#""\ufffd""#);
        check(r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#);
        check(r#""\ud83d\ud83d\ude00x""#, r#""\ufffd\ud83d\ude00x""#);
    }

    #[test]
    fn other_escapes_stay() {
        check(r#""\\ud83d \n \u00e9 ü \"""#, r#""\\ud83d \n \u00e9 ü \"""#);
        check("\\", "\\");
        check("\\u12", "\\u12");
        check("\\u+123é", "\\u+123é");
    }
}
