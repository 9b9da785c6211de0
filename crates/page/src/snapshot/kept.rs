//! The last content taken from a tab, served in parts.

use serde_json::Value;

/// Content: a text, or a list of entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// Its own title, if it has one.
    pub title: String,
    /// The text.
    pub text: Option<String>,
    /// The entries.
    pub entries: Option<Vec<Value>>,
    /// Remarks on it.
    pub notes: Vec<String>,
    /// Bytes of the whole text, or entries of the whole list; set in the parts.
    pub total: usize,
}

impl Kept {
    /// What fits from `from` on, and where the rest begins.
    pub(super) fn piece(&self, from: usize, limit: usize, bytes: usize) -> (Self, Option<usize>) {
        let mut piece = Self {
            title: self.title.clone(),
            notes: self.notes.clone(),
            ..Self::default()
        };
        let mut next = None;
        if let Some(text) = &self.text {
            let rest = text.get(from..).unwrap_or_default();
            let end = end(rest, bytes);
            piece.text = Some(rest[..end].to_owned());
            piece.total = text.len();
            next = (end < rest.len()).then_some(from + end);
        } else if let Some(entries) = &self.entries {
            let mut used = 0;
            let fits = entries
                .iter()
                .skip(from)
                .take(limit.max(1))
                .take_while(|entry| {
                    let before = used;
                    used += entry.to_string().len() + 1;
                    before == 0 || used <= bytes
                });
            let fits: Vec<Value> = fits.cloned().collect();
            let end = from + fits.len();
            piece.total = entries.len();
            piece.entries = Some(fits);
            next = (end < entries.len()).then_some(end);
        }
        (piece, next)
    }
}

/// Where to cut: at the end of a line if there is one in the second half, else of a word, else between
/// characters; never at the very start.
fn end(text: &str, bytes: usize) -> usize {
    if text.len() <= bytes {
        return text.len();
    }
    let fits = (1..=bytes).rev().find(|at| text.is_char_boundary(*at));
    let most = fits.unwrap_or_else(|| text.chars().next().map_or(0, char::len_utf8));
    let head = &text[..most];
    let after = |at: usize| at + 1;
    let line = head.rfind('\n').map(after).filter(|at| *at > most / 2);
    line.or_else(|| head.rfind(' ').map(after).filter(|at| *at > most / 2))
        .unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_a_text_make_the_whole() {
        let text = "line one\nline two is longer\nété 日本語 😀 end";
        let kept = Kept {
            text: Some(text.into()),
            ..Kept::default()
        };
        for bytes in 1..40 {
            let (mut from, mut whole) = (0, String::new());
            loop {
                let (piece, next) = kept.piece(from, 1, bytes);
                let piece = piece.text.unwrap();
                assert!(!piece.is_empty() && piece.len() <= bytes.max(4));
                whole.push_str(&piece);
                let Some(next) = next else { break };
                from = next;
            }
            assert_eq!(whole, text, "{bytes}");
        }
    }

    #[test]
    fn entries_are_cut_by_number_and_size() {
        let kept = Kept {
            entries: Some(vec![json!("aaaa"), json!("bb"), json!("c")]),
            ..Kept::default()
        };
        let check = |from, limit, bytes, expected: Value, rest| {
            let (piece, next) = kept.piece(from, limit, bytes);
            assert_eq!(
                (json!(piece.entries.unwrap()), next, piece.total),
                (expected, rest, 3)
            );
        };
        check(0, 2, 99, json!(["aaaa", "bb"]), Some(2));
        check(0, 9, 3, json!(["aaaa"]), Some(1));
        check(2, 9, 99, json!(["c"]), None);
    }
}
