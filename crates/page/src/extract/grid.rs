//! Where the cells of a table are, when some cover several columns or rows. `js/grid.js` does the same for live elements,
//! by the same rules.

/// Columns that one cell may cover, as in HTML.
pub(super) const MOST_COLUMNS: usize = 1000;
/// Rows that one cell may cover, as in HTML.
pub(super) const MOST_ROWS: usize = 65_534;
/// Slots that a table may always have, and how many for each of its cells if it has more: a few spans could claim
/// more than any page holds.
const SLOTS: usize = 100_000;
const SLOTS_A_CELL: usize = 8;

/// A row, as the table says it.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// The part of the table that it is in: no cell reaches into the next one.
    pub(super) part: usize,
    pub(super) cells: Vec<Span>,
}

/// What a cell covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A slot in the grid that a cell covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// The row of that cell, and its number there.
    pub(super) cell: (usize, usize),
    /// Whether the cell begins here.
    pub(super) begins: bool,
    /// Columns of the grid that the cell covers.
    pub(super) width: usize,
}

/// The slots of each row, all rows of the same length. A column in which no cell begins is left out: it would repeat the
/// one before it, as with a `colspan` of 100 that only means "all of them". `None` if there are too many slots.
pub(super) fn grid(rows: &[Row]) -> Option<Vec<Vec<Option<Slot>>>> {
    let cells = covered(rows);
    let mut starts: Vec<usize> = cells.iter().map(|cell| cell.from).collect();
    starts.sort_unstable();
    starts.dedup();
    let slots = rows.len().saturating_mul(starts.len());
    if slots > SLOTS.max(SLOTS_A_CELL * cells.len()) {
        return None;
    }
    let mut grid = vec![vec![None; starts.len()]; rows.len()];
    for cell in &cells {
        let from = starts.partition_point(|start| *start < cell.from);
        let to = starts.partition_point(|start| *start < cell.to);
        for (row, slots) in grid
            .iter_mut()
            .enumerate()
            .take(cell.last + 1)
            .skip(cell.row)
        {
            for (column, slot) in slots.iter_mut().enumerate().take(to).skip(from) {
                *slot = Some(Slot {
                    cell: (cell.row, cell.nth),
                    begins: row == cell.row && column == from,
                    width: to - from,
                });
            }
        }
    }
    Some(grid)
}

/// A cell and what it covers: its columns from `from` to before `to`, its rows to `last`.
struct Covered {
    row: usize,
    nth: usize,
    from: usize,
    to: usize,
    last: usize,
}

fn covered(rows: &[Row]) -> Vec<Covered> {
    let ends = ends(rows);
    let mut all = Vec::new();
    // The columns that cells of earlier rows cover, from left to right, and their last row.
    let mut reaching: Vec<(usize, usize, usize)> = Vec::new();
    for (row, said) in rows.iter().enumerate() {
        reaching.retain(|(_, _, last)| *last >= row);
        let (mut column, mut next) = (0, 0);
        let mut more = Vec::new();
        for (nth, span) in said.cells.iter().enumerate() {
            while let Some((from, to, _)) = reaching.get(next)
                && *from <= column
            {
                column = column.max(*to);
                next += 1;
            }
            // Cells that would overlap are narrowed.
            let free = reaching.get(next).map_or(usize::MAX, |(from, _, _)| *from);
            let to = free.min(column + span.columns.clamp(1, MOST_COLUMNS));
            let last = ends[row].min(row + span.rows.clamp(1, MOST_ROWS) - 1);
            if last > row {
                more.push((column, to, last));
            }
            all.push(Covered {
                row,
                nth,
                from: column,
                to,
                last,
            });
            column = to;
        }
        if !more.is_empty() {
            reaching.extend(more);
            reaching.sort_unstable();
        }
    }
    all
}

/// For each row, the last one of its part.
fn ends(rows: &[Row]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..rows.len()).collect();
    for row in (1..rows.len()).rev() {
        if rows[row - 1].part == rows[row].part {
            ends[row - 1] = ends[row];
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows are written as cells `colspan x rowspan`; slots as row and number of their cell.
    #[track_caller]
    fn check(rows: &[&[(usize, usize)]], expected: &str) {
        let rows: Vec<Row> = rows
            .iter()
            .map(|cells| Row {
                part: 0,
                cells: cells
                    .iter()
                    .map(|(columns, rows)| Span {
                        columns: *columns,
                        rows: *rows,
                    })
                    .collect(),
            })
            .collect();
        let grid = grid(&rows).expect("a grid");
        let lines: Vec<String> = grid
            .iter()
            .map(|row| {
                let slots = row.iter().map(|slot| {
                    slot.map_or("..".to_owned(), |at| format!("{}{}", at.cell.0, at.cell.1))
                });
                slots.collect::<Vec<_>>().join(" ")
            })
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn cells_cover_columns_and_rows() {
        check(&[&[(1, 1), (1, 1)], &[(1, 1)]], "00 01\n10 ..");
        check(
            &[&[(1, 2), (2, 1)], &[(1, 1), (1, 1)]],
            "00 01 01\n00 10 11",
        );
        check(&[&[(1, 1), (1, 9)], &[(1, 1)]], "00 01\n10 01");
        // No column that nothing begins in.
        check(&[&[(100, 1)], &[(1, 1), (1, 1)]], "00 00\n10 11");
    }

    #[test]
    fn no_cell_reaches_into_the_next_part() {
        let row = |part, rows| Row {
            part,
            cells: vec![Span { columns: 1, rows }],
        };
        let grid = grid(&[row(0, 5), row(1, 1)]).expect("a grid");
        assert_eq!(grid[1][0].map(|slot| slot.cell), Some((1, 0)));
    }

    #[test]
    fn a_grid_beyond_all_measure_is_none() {
        let wide = Row {
            part: 0,
            cells: vec![
                Span {
                    columns: 1,
                    rows: 1
                };
                2000
            ],
        };
        let mut rows = vec![wide];
        rows.resize(2000, Row::default());
        assert!(grid(&rows).is_none());
    }
}
