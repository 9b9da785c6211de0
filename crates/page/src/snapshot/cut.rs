//! Cuts a long snapshot, between lines, into parts that fit.

/// How much of a snapshot to return at once.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Lines.
    pub lines: usize,
    /// Bytes; at least one line is always returned.
    pub bytes: usize,
}

/// The lines from `from` on that fit, joined, and how many they are.
pub(super) fn cut(lines: &[String], from: usize, budget: Budget) -> (String, usize) {
    let mut text = String::new();
    let mut count = 0;
    for line in lines.iter().skip(from).take(budget.lines.max(1)) {
        if count > 0 && text.len() + line.len() + 1 > budget.bytes {
            break;
        }
        if count > 0 {
            text.push('\n');
        }
        text.push_str(line);
        count += 1;
    }
    (text, count)
}

/// `s3:120`: the snapshot, and the line to continue with.
pub(super) fn cursor(id: u32, line: usize) -> String {
    format!("s{id}:{line}")
}

/// Reads a cursor of the snapshot `id`.
pub(super) fn line_of(cursor: &str, id: u32) -> Option<usize> {
    let (snapshot, line) = cursor.strip_prefix('s')?.split_once(':')?;
    let line = line.parse().ok()?;
    (snapshot.parse() == Ok(id)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fit_and_make_the_whole() {
        let lines: Vec<String> = ["aaaa", "bb", "cccccc", "d"].map(String::from).to_vec();
        let check = |from, lines_: usize, bytes, expected: (&str, usize)| {
            let (text, count) = cut(
                &lines,
                from,
                Budget {
                    lines: lines_,
                    bytes,
                },
            );
            assert_eq!((text.as_str(), count), expected);
        };
        check(0, 9, 7, ("aaaa\nbb", 2));
        check(2, 9, 3, ("cccccc", 1));
        check(0, 1, 99, ("aaaa", 1));
        check(3, 9, 99, ("d", 1));
        check(4, 9, 99, ("", 0));
    }

    #[test]
    fn cursors_belong_to_their_snapshot() {
        assert_eq!(line_of(&cursor(3, 120), 3), Some(120));
        for wrong in ["s3:120", "s4:", "4:1", "", "s4:-1", "x"] {
            assert_eq!(line_of(wrong, 4), None, "{wrong}");
        }
    }
}
