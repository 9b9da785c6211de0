//! Folds lines that repeat the same pattern, for a snapshot that is too long for its answer.

use super::cut::{self, Budget};

/// Rows of a pattern to keep: the first of these that makes everything fit is taken.
const KEPT: [usize; 6] = [100, 50, 25, 12, 6, 3];
/// Nodes side by side that one row of a pattern may consist of.
const PERIOD: usize = 8;
/// Fewer rows than this, beyond those kept, are not folded.
const FEW: usize = 4;

/// A snapshot that fits because its repeats are folded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Folded {
    pub(super) text: String,
    /// Lines of the snapshot that are shown.
    pub(super) shown: usize,
    /// The first line that is not.
    pub(super) first: usize,
}

/// Folds just enough for everything to fit; `None` if the lines fit anyway, or not even so.
pub(super) fn fold(lines: &[String], id: u32, budget: Budget) -> Option<Folded> {
    let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
    if bytes <= budget.bytes || budget.lines < lines.len() {
        return None;
    }
    let tree = Tree::of(lines);
    KEPT.into_iter().find_map(|kept| {
        let mut folding = Folding {
            tree: &tree,
            id,
            kept,
            out: Vec::new(),
            shown: 0,
            first: None,
        };
        folding.siblings(0, lines.len());
        let first = folding.first?;
        let text = folding.out.join("\n");
        (text.len() <= budget.bytes).then_some(Folded {
            text,
            shown: folding.shown,
            first,
        })
    })
}

/// The lines with what each consists of.
struct Tree<'a> {
    lines: &'a [String],
    /// Where the next line begins that is not below this one.
    ends: Vec<usize>,
    /// A number for each kind of line with what is below it.
    shapes: Vec<u64>,
}

impl<'a> Tree<'a> {
    fn of(lines: &'a [String]) -> Self {
        let mut ends = vec![lines.len(); lines.len()];
        let mut shapes = vec![0; lines.len()];
        for at in (0..lines.len()).rev() {
            let depth = indent(&lines[at]);
            let mut shape = role(&lines[at]);
            let mut next = at + 1;
            while next < lines.len() && indent(&lines[next]) > depth {
                shape = mix(shape, shapes[next]);
                next = ends[next];
            }
            ends[at] = next;
            shapes[at] = shape;
        }
        Self {
            lines,
            ends,
            shapes,
        }
    }
}

struct Folding<'a> {
    tree: &'a Tree<'a>,
    id: u32,
    kept: usize,
    out: Vec<String>,
    shown: usize,
    first: Option<usize>,
}

impl Folding<'_> {
    /// Writes the nodes of one level, from one line to another.
    fn siblings(&mut self, from: usize, to: usize) {
        let mut heads = Vec::new();
        let mut at = from;
        while at < to {
            heads.push(at);
            at = self.tree.ends[at];
        }
        let mut nth = 0;
        while nth < heads.len() {
            let (period, rows) = self.pattern(&heads[nth..]);
            if rows < self.kept + FEW {
                self.node(heads[nth]);
                nth += 1;
                continue;
            }
            let folded = nth + self.kept * period;
            for head in &heads[nth..folded] {
                self.node(*head);
            }
            nth += rows * period;
            let end = heads.get(nth).copied().unwrap_or(to);
            self.note(heads[folded - period], heads[folded], end, rows - self.kept);
        }
    }

    fn node(&mut self, at: usize) {
        self.out.push(self.tree.lines[at].clone());
        self.shown += 1;
        self.siblings(at + 1, self.tree.ends[at]);
    }

    /// The pattern that covers most of what follows, and how often it repeats.
    fn pattern(&self, heads: &[usize]) -> (usize, usize) {
        let shape = |nth: usize| self.tree.shapes[heads[nth]];
        let mut best = (1, 1);
        for period in 1..=PERIOD.min(heads.len()) {
            let mut same = period;
            while same < heads.len() && shape(same) == shape(same - period) {
                same += 1;
            }
            let rows = same / period;
            if rows * period > best.0 * best.1 {
                best = (period, rows);
            }
        }
        best
    }

    /// Says what was folded: `like` is the first line of a row that is shown.
    fn note(&mut self, like: usize, from: usize, to: usize, rows: usize) {
        self.first.get_or_insert(from);
        let refs: Vec<&str> = self.tree.lines[like..from]
            .iter()
            .filter_map(|line| reference(line))
            .collect();
        let like = match (refs.first(), refs.last()) {
            (Some(first), Some(last)) if first != last => format!(" like {first}…{last}"),
            (Some(only), _) => format!(" like {only}"),
            _ => String::new(),
        };
        let pad = " ".repeat(indent(&self.tree.lines[from]));
        let cursor = cut::cursor(self.id, from);
        let lines = szk_text::counted((to - from) as u64, "line");
        self.out.push(format!(
            "{pad}- (+ {rows} more{like}, {lines}: cursor `{cursor}`)"
        ));
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The ref at the end of a line's name, which a page cannot write: its own brackets are in quotes.
fn reference(line: &str) -> Option<&str> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in line.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => {
                let (inner, _) = line[at + 1..].split_once(']')?;
                let number = inner.strip_prefix('e')?;
                return number.parse::<u32>().is_ok().then_some(inner);
            }
            ':' if !quoted => return None,
            _ => {}
        }
    }
    None
}

/// A number for the role of a line.
fn role(line: &str) -> u64 {
    let word = line.trim_start().trim_start_matches("- ");
    let word = word.split([' ', ':']).next().unwrap_or_default();
    word.bytes().fold(7, |sum, byte| mix(sum, byte.into()))
}

fn mix(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x0100_0000_01b3).rotate_left(17) ^ b
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(bytes: usize) -> Budget {
        Budget {
            lines: usize::MAX,
            bytes,
        }
    }

    #[test]
    fn rows_of_a_pattern_are_folded_and_what_follows_is_kept() {
        let mut lines = vec!["- main".to_owned()];
        for row in 0..30 {
            lines.push(format!("  - text: \"Mail\" {row}"));
            lines.push(format!("  - link \"Open [e9]\" [e{}]", 2 * row + 1));
            lines.push(format!("  - button \"Delete\" [e{}]", 2 * row + 2));
        }
        lines.push("- button \"More\" [e99]".to_owned());
        assert_eq!(fold(&lines, 3, budget(100_000)), None);
        let folded = fold(&lines, 3, budget(450)).unwrap();
        let expected = "- main
  - text: \"Mail\" 0
  - link \"Open [e9]\" [e1]
  - button \"Delete\" [e2]
  - text: \"Mail\" 1
  - link \"Open [e9]\" [e3]
  - button \"Delete\" [e4]
  - text: \"Mail\" 2
  - link \"Open [e9]\" [e5]
  - button \"Delete\" [e6]
  - (+ 27 more like e5…e6, 81 lines: cursor `s3:10`)
- button \"More\" [e99]";
        assert_eq!(folded.text, expected);
        assert_eq!((folded.shown, folded.first), (11, 10));
        // A caller that asks for a number of lines gets those.
        let few = Budget {
            lines: 5,
            bytes: 450,
        };
        assert_eq!(fold(&lines, 3, few), None);
    }

    #[test]
    fn lists_within_lists_are_folded_and_different_lines_are_not() {
        let mut lines = Vec::new();
        for _ in 0..3 {
            lines.push("- list".to_owned());
            lines.extend((0..40).map(|item| format!("  - listitem: {item}")));
        }
        let folded = fold(&lines, 1, budget(400)).unwrap();
        assert_eq!(folded.text.matches("more").count(), 3, "{}", folded.text);
        assert!(
            folded
                .text
                .contains("- (+ 37 more, 37 lines: cursor `s1:4`)")
        );
        let roles = ["button", "link", "img", "textbox", "tab"];
        let mixed: Vec<String> = (0..50_usize)
            .map(|nth| format!("- {} [e{nth}]", roles[nth * nth * 7 % 5]))
            .collect();
        assert_eq!(fold(&mixed[..7], 1, budget(20)), None);
    }
}
