//! A value to hide, and the ways in which a text may write it.
//!
//! Texts are not decoded first: an answer keeps everything else as it was, and a text of megabytes is
//! read once for each value. Each character of the value may be written in its own way, because browsers
//! encode only some, and each place of an address others.

use std::ops::Range;

/// How often what is encoded may have been encoded again: an address in an address in an address.
const NESTED: usize = 4;

/// What windows-1252, which the web calls latin-1, has in the places of the second control characters.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// A value, and the bytes with which it can begin in a text.
pub(super) struct Written {
    chars: Vec<char>,
    begins: [bool; 256],
}

impl Written {
    /// A value that is not empty.
    pub(super) fn of(value: &str) -> Self {
        let mut begins = [false; 256];
        for byte in [b'%', b'\\', b'&'] {
            begins[usize::from(byte)] = true;
        }
        if let Some(first) = value.bytes().next() {
            begins[usize::from(first)] = true;
        }
        Self {
            chars: value.chars().collect(),
            begins,
        }
    }

    /// Number of characters.
    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// Whether this is the value.
    pub(super) fn is(&self, value: &str) -> bool {
        self.chars.iter().copied().eq(value.chars())
    }

    /// Its characters.
    pub(super) fn chars(&self) -> impl Iterator<Item = char> + Clone + '_ {
        self.chars.iter().copied()
    }

    /// Where the text has it first, from this place on.
    pub(super) fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let (mut ends, mut after) = (Vec::new(), Vec::new());
        let mut at = from;
        loop {
            let begins = |byte: &u8| self.begins[usize::from(*byte)];
            at += bytes.get(at..)?.iter().position(begins)?;
            self.ends(bytes, at, &mut ends, &mut after);
            if let Some(end) = ends.iter().max() {
                return Some(at..*end);
            }
            at += 1;
        }
    }

    /// Where it ends in a text that begins with it.
    pub(super) fn end(&self, text: &str) -> Option<usize> {
        let (mut ends, mut after) = (Vec::new(), Vec::new());
        self.ends(text.as_bytes(), 0, &mut ends, &mut after);
        ends.into_iter().max()
    }

    /// Whether it is all of a text.
    pub(super) fn is_all_of(&self, text: &str) -> bool {
        let (mut ends, mut after) = (Vec::new(), Vec::new());
        self.ends(text.as_bytes(), 0, &mut ends, &mut after);
        ends.contains(&text.len())
    }

    /// Every place where it may end if it begins here; `after` is only room to work in.
    fn ends(&self, text: &[u8], start: usize, ends: &mut Vec<usize>, after: &mut Vec<usize>) {
        ends.clear();
        ends.push(start);
        for c in &self.chars {
            after.clear();
            for at in ends.iter() {
                next(text, *at, *c, after);
            }
            std::mem::swap(ends, after);
            if ends.is_empty() {
                return;
            }
        }
    }
}

/// Adds where a character ends that may be written here.
fn next(text: &[u8], at: usize, c: char, ends: &mut Vec<usize>) {
    let rest = text.get(at..).unwrap_or_default();
    let mut add = |length: usize| {
        if !ends.contains(&(at + length)) {
            ends.push(at + length);
        }
    };
    let mut utf8 = [0; 4];
    let utf8 = c.encode_utf8(&mut utf8).as_bytes();
    if rest.starts_with(utf8) {
        add(utf8.len());
    }
    match rest.first() {
        Some(b'+') if c == ' ' => add(1),
        Some(b'%') => {
            let byte = one_byte(c).filter(|_| !c.is_ascii()).map(|byte| [byte]);
            (0..=NESTED).for_each(|deep| {
                let one = byte.and_then(|byte| percent(rest, &byte, deep));
                let all = percent(rest, utf8, deep);
                one.into_iter().chain(all).for_each(&mut add);
            });
        }
        Some(b'\\') => escaped(rest, c).into_iter().for_each(add),
        Some(b'&') => entity(rest, c).into_iter().for_each(add),
        _ => {}
    }
}

/// The length of these bytes as an address writes them, the percent signs encoded so many times more.
fn percent(text: &[u8], bytes: &[u8], deep: usize) -> Option<usize> {
    let mut rest = text;
    for byte in bytes {
        rest = rest.strip_prefix(b"%")?;
        for _ in 0..deep {
            rest = rest.strip_prefix(b"25")?;
        }
        let (digits, after) = rest.split_first_chunk::<2>()?;
        if number(digits, 16)? != u32::from(*byte) {
            return None;
        }
        rest = after;
    }
    Some(text.len() - rest.len())
}

/// The character in the one-byte encoding of old pages.
fn one_byte(c: char) -> Option<u8> {
    match u8::try_from(u32::from(c)) {
        Ok(byte) if !(0x80..0xa0).contains(&byte) => Some(byte),
        _ => {
            let at = WINDOWS.chars().position(|one| one == c)?;
            Some(0x80 + u8::try_from(at).ok()?)
        }
    }
}

/// The length of a character behind a backslash: in Markdown, JSON or JavaScript.
fn escaped(text: &[u8], c: char) -> Option<usize> {
    let sign = *text.get(1)?;
    let short = match c {
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        '\u{8}' => b'b',
        '\u{c}' => b'f',
        _ => 0,
    };
    // A letter behind a backslash means something else, or the backslash belongs to the text.
    if (c.is_ascii_punctuation() && char::from(sign) == c) || (short != 0 && sign == short) {
        return Some(2);
    }
    let mut units = [0; 2];
    let mut rest = text;
    for unit in c.encode_utf16(&mut units) {
        let (digits, after) = rest.strip_prefix(b"\\u")?.split_first_chunk::<4>()?;
        if number(digits, 16)? != u32::from(*unit) {
            return None;
        }
        rest = after;
    }
    Some(text.len() - rest.len())
}

/// The length of a character as HTML writes it.
fn entity(text: &[u8], c: char) -> Option<usize> {
    const LONGEST: usize = 10;
    let end = text.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let same = match &text[1..end] {
        b"amp" => c == '&',
        b"lt" => c == '<',
        b"gt" => c == '>',
        b"quot" => c == '"',
        b"apos" => c == '\'',
        b"nbsp" => c == '\u{a0}',
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16) == Some(u32::from(c)),
        [b'#', digits @ ..] => number(digits, 10) == Some(u32::from(c)),
        _ => false,
    };
    same.then_some(end + 1)
}

fn number(digits: &[u8], base: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, byte| {
        let digit = char::from(*byte).to_digit(base)?;
        sum.checked_mul(base)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, text: &str, found: Option<&str>) {
        let range = Written::of(value).find(text, 0);
        assert_eq!(range.map(|range| &text[range]), found);
    }

    #[test]
    fn each_character_may_be_written_in_its_own_way() {
        let value = r#"p@ss_w+rd/é"<x> *b*&77"#;
        let fragment = "p@ss_w+rd/%C3%A9%22%3Cx%3E%20*b*&77";
        check(value, &format!("#{fragment}&z"), Some(fragment));
        let query = "p%40ss_w%2brd%2F%c3%a9%22%3Cx%3E+*b*%2677";
        check(value, &format!("?p={query}&z=1"), Some(query));
        let latin = "p%40ss_w%2Brd%2F%E9%22%3Cx%3E+*b*%2677";
        check(value, &format!("?p={latin}"), Some(latin));
        let markdown = r#"p@ss\_w+rd/é"\<x\> \*b\*&77"#;
        check(value, &format!("It is {markdown}."), Some(markdown));
        let html = "p@ss_w&#43;rd/&#xE9;&quot;&lt;x&gt; *b*&amp;77";
        check(value, html, Some(html));
        let json = r#"p@ss_w+rd\/\u00E9\"\u003cx> *b*\u002677"#;
        check(value, json, Some(json));
        check("€uro", "%80uro", Some("%80uro"));
        check("a😀b", r"a\ud83d\uDE00b", Some(r"a\ud83d\uDE00b"));
    }

    #[test]
    fn what_is_encoded_twice_is_found() {
        check("a b%c", "next=a%252520b%25c", Some("a%252520b%25c"));
        check("50%25", "50%252525!", Some("50%252525"));
        check("pä", "p%25C3%25A4", Some("p%25C3%25A4"));
    }

    #[test]
    fn only_the_value_is_found() {
        check("hunter2", "hunter", None);
        check("hunter2", "Hunter2 hunter%33", None);
        check("hunter2", r"C:\hunter2", Some("hunter2"));
        check("é%", "é%é", Some("é%"));
        check("nab", r"\nab", Some("nab"));
        check("a", "%", None);
        check("aab", "aaab", Some("aab"));
    }

    /// What an unlucky text costs is bounded, too.
    #[test]
    fn a_long_text_is_read_once() {
        let text = "%25".repeat(2_000);
        assert_eq!(Written::of("%%%%%%%%x").find(&text, 0), None);
        let text = format!("{}%25", "25".repeat(2_000));
        assert_eq!(Written::of("%%x").find(&text, 0), None);
    }
}
