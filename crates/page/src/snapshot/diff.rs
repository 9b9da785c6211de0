//! What changed between two readings. Refs stay with their nodes, so lines are comparable.

use std::time::{Duration, Instant};

use super::cut::{self, Budget};
use similar::{Algorithm, DiffOp};

/// How long to look for the shortest diff.
const PATIENCE: Duration = Duration::from_millis(300);

/// The added and removed lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Lines with `+` and `-` in front, and the unchanged line above each change to show where it is.
    pub lines: Vec<String>,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
}

impl Changes {
    /// Of lines that are written already.
    pub(super) fn of(lines: Vec<String>) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// As many lines as fit, joined, and how many they are.
    #[must_use]
    pub fn cut(&self, budget: Budget) -> (String, usize) {
        cut::cut(&self.lines, 0, budget)
    }
}

/// Compares two readings of the same kind.
pub(super) fn compare(old: &[String], new: &[String]) -> Changes {
    let deadline = Instant::now() + PATIENCE;
    let ops = similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(deadline));
    let mut changes = Changes::default();
    let mut place = None;
    for op in ops {
        let (went, came) = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete {
                old_index,
                old_len,
                new_index,
            } => (old_index..old_index + old_len, new_index..new_index),
            DiffOp::Insert {
                old_index,
                new_index,
                new_len,
            } => (old_index..old_index, new_index..new_index + new_len),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => (
                old_index..old_index + old_len,
                new_index..new_index + new_len,
            ),
        };
        let first = old[went.clone()].first().or(new[came.clone()].first());
        let depth = first.map_or(0, |line| indent(line));
        // The nearest line above that the change belongs to.
        let above = new[..came.start]
            .iter()
            .rposition(|line| indent(line) < depth);
        if let Some(above) = above
            && place != Some(above)
        {
            changes.lines.push(format!("  {}", new[above]));
        }
        place = above.or(place);
        changes.removed += went.len();
        changes.added += came.len();
        changes
            .lines
            .extend(old[went].iter().map(|line| format!("- {line}")));
        changes
            .lines
            .extend(new[came].iter().map(|line| format!("+ {line}")));
    }
    changes
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        assert_eq!(compare(&lines(old), &lines(new)).lines.join("\n"), expected);
    }

    #[test]
    fn changes_are_shown_under_what_they_hang() {
        check(
            "- main\n  - button \"A\" [e1]\n- link \"x\" [e2]",
            "- main\n  - button \"B\" [e1]\n  - button \"C\" [e3]\n- link \"x\" [e2]",
            "  - main\n-   - button \"A\" [e1]\n+   - button \"B\" [e1]\n+   - button \"C\" [e3]",
        );
        check("- a", "- a", "");
        check("", "- a", "+ - a");
        check("- a", "", "- - a");
    }
}
