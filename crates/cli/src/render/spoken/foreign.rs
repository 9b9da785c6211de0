//! What of an answer is szk's own words, and what a page, a file or the user says: that stays as it is.
//!
//! Text from outside stands in quotes, between fences, in the lines of a snapshot, which begin with `-`,
//! `+` or `~`, or after `value: `.

/// A piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Ours(&'a str),
    Foreign(&'a str),
}

/// The pieces of an answer, a line at a time and in order: together they are the answer.
pub(super) fn pieces(answer: &str) -> Vec<Vec<Piece<'_>>> {
    let mut fence = None;
    let lines = answer.split('\n').map(|line| {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(line),
            Some(open) if open == line => fence = None,
            Some(_) => {}
            None => return within(line),
        }
        vec![Piece::Foreign(line)]
    });
    lines.collect()
}

fn within(line: &str) -> Vec<Piece<'_>> {
    let text = line.trim_start();
    // A remark between the lines of a page.
    if text.starts_with("- (") {
        return vec![Piece::Ours(line)];
    }
    let starts = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
    if starts(&["- ", "+ ", "~ ", "value: "]) {
        return vec![Piece::Foreign(line)];
    }
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(from) = rest.find('"') {
        let Some(length) = closed(&rest[from..]) else {
            break;
        };
        pieces.push(Piece::Ours(&rest[..from]));
        pieces.push(Piece::Foreign(&rest[from..from + length]));
        rest = &rest[from + length..];
    }
    pieces.push(Piece::Ours(rest));
    pieces
}

/// How long the quote at the beginning of a text is.
fn closed(text: &str) -> Option<usize> {
    let mut escaped = false;
    let inner = text.bytes().enumerate().skip(1);
    for (at, byte) in inner {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
