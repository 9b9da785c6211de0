//! Columns under headings; a column that is empty in every row is left out.

use anstyle::Style;

use super::style::{FAINT, paint};
use super::text;

/// One column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) head: &'static str,
    /// Right-aligned, for numbers.
    pub(crate) right: bool,
}

/// One cell; empty text means nothing to show.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell with `text`, whatever that contains.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self::styled(text, Style::new())
    }

    /// A cell in a style.
    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self {
            text: text::printable(text.as_ref()),
            style,
        }
    }
}

/// The table as text, columns two spaces apart, no trailing spaces.
pub(crate) fn render(columns: &[Column], rows: &[Vec<Cell>]) -> String {
    let shown: Vec<(usize, &Column, usize)> = columns
        .iter()
        .enumerate()
        .filter_map(|(i, column)| Some((i, column, content_width(rows, i)?)))
        .map(|(i, column, content)| (i, column, content.max(text::width(column.head))))
        .collect();
    let head: Vec<Cell> = columns
        .iter()
        .map(|column| Cell::styled(column.head, FAINT))
        .collect();
    let lines = std::iter::once(&head).chain(rows).map(|row| {
        let cells = shown
            .iter()
            .map(|(i, column, width)| fill(row.get(*i), column.right, *width));
        finish(cells.collect())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The widest content of column `i`; `None` if it is empty everywhere.
fn content_width(rows: &[Vec<Cell>], i: usize) -> Option<usize> {
    let widths = rows.iter().filter_map(|row| row.get(i));
    widths
        .map(|cell| text::width(&cell.text))
        .max()
        .filter(|width| *width > 0)
}

/// A cell as (spaces before, styled text, spaces after).
fn fill(cell: Option<&Cell>, right: bool, width: usize) -> (String, String) {
    let Some(cell) = cell.filter(|cell| !cell.text.is_empty()) else {
        return (String::new(), " ".repeat(width));
    };
    let gap = " ".repeat(width - text::width(&cell.text).min(width));
    let painted = if cell.style == Style::new() {
        cell.text.clone()
    } else {
        paint(cell.style, &cell.text)
    };
    if right {
        (format!("{gap}{painted}"), String::new())
    } else {
        (painted, gap)
    }
}

/// Joins cells; drops the space after the last non-empty one.
fn finish(cells: Vec<(String, String)>) -> String {
    let mut line = String::new();
    let mut owed = String::new();
    for (content, gap) in cells {
        if !content.is_empty() {
            line.push_str(&owed);
            line.push_str(&content);
            owed.clear();
        }
        owed.push_str(&gap);
        owed.push_str("  ");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let columns = [
            ("NAME", false),
            ("NOTE", false),
            ("SIZE", true),
            ("LAST", false),
        ]
        .map(|(head, right)| Column { head, right });
        let row = |cells: [&str; 4]| cells.map(Cell::new).to_vec();
        let rows = [
            row(["a", "", "1", ""]),
            row(["日本", "", "1000000", "x\x1b[2Jy"]),
        ];
        let plain = anstream::adapter::strip_str(&render(&columns, &rows)).to_string();
        insta::assert_snapshot!(plain, @r"
        NAME     SIZE  LAST
        a           1
        日本  1000000  x[2Jy
        ");
    }
}
