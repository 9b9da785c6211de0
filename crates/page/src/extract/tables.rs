//! Tables in a form that Markdown can write: every row with the same columns, and one row of headers.
//!
//! A cell that covers several columns or rows is said again in each of them. A model reads line by line and counts no
//! columns: what a row says should need no other row, and a blank would be read as a missing value. Two things are said
//! only once, because again they would only be noise: what covers all columns, such as the title of a section, and long
//! text.

use dom_query::{Document, NodeRef};

use super::grid::{self, Row, Slot, Span};
use super::terms::words;

/// Longest text of a cell that is said again, in characters.
const AGAIN: usize = 100;
/// Roles of tables, and of their cells.
const TABLES: &[&str] = &["table", "grid", "treegrid"];
const CELLS: &[&str] = &["cell", "gridcell", "columnheader", "rowheader"];

/// Makes all tables of a document such ones. Captions become lines above them.
pub(super) fn as_grids(document: &Document) {
    let root = document.root();
    // Those inside of others come first.
    for node in root.descendants().into_iter().rev() {
        if !node.has_name("table") && is_one_of(&node, TABLES) {
            by_role(&node);
        }
    }
    for table in root.find(&["table"]).into_iter().rev() {
        // The content of an entry of a list is written without its outermost element.
        if table.parent().is_some_and(|parent| parent.has_name("li")) {
            let around = table.tree.new_element("div");
            table.insert_before(&around);
            around.append_child(&table);
        }
        let mut children = table.element_children().into_iter();
        if let Some(caption) = children.find(|child| child.has_name("caption")) {
            above(&table, &caption);
            caption.remove_from_parent();
        }
        let rows = rows(&table);
        if lays_out(&table) || !regular(&table, &rows) {
            apart(&table, &rows);
        }
    }
}

/// Whether a table only says where things are, or holds what no cell of Markdown can.
fn lays_out(table: &NodeRef) -> bool {
    let holds = |name: &str| !table.find(&[name]).is_empty();
    holds("table") || holds("pre") || !holds("th") && (holds("h1") || holds("h2"))
}

/// Builds a table from what only says that it is one, behind it: what is in no cell stays where it is.
fn by_role(table: &NodeRef) {
    let parts = table.descendants();
    if !table.find(&["table"]).is_empty() {
        for cell in parts.iter().filter(|part| is_one_of(part, CELLS)) {
            if !cell.has_name("td") && !cell.has_name("th") {
                cell.rename("div");
            }
        }
        return;
    }
    let new = table.tree.new_element("table");
    for row in parts.iter().filter(|part| is_one_of(part, &["row"])) {
        let mut cells = Vec::new();
        collect(row, &mut cells);
        if cells.is_empty() {
            continue;
        }
        let line = table.tree.new_element("tr");
        for cell in cells {
            let head = is_one_of(&cell, &["columnheader", "rowheader"]);
            cell.rename(if head { "th" } else { "td" });
            line.append_child(&cell);
        }
        new.append_child(&line);
    }
    if new.first_child().is_some() {
        table.insert_after(&new);
    }
    if table.text().trim().is_empty() && table.find(&["img"]).is_empty() {
        table.remove_from_parent();
    }
}

fn collect<'a>(of: &NodeRef<'a>, found: &mut Vec<NodeRef<'a>>) {
    for child in of.element_children() {
        if is_one_of(&child, CELLS) {
            found.push(child);
        } else if !is_one_of(&child, &["row"]) {
            collect(&child, found);
        }
    }
}

/// A row of a table with its cells.
struct Line<'a> {
    node: NodeRef<'a>,
    part: usize,
    cells: Vec<NodeRef<'a>>,
}

impl Line<'_> {
    /// Whether all its cells are headers.
    fn heads(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| cell.has_name("th"))
    }
}

fn rows<'a>(table: &NodeRef<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for (part, child) in table.element_children().into_iter().enumerate() {
        if child.has_name("tr") {
            // Those that are in no part are in one together.
            lines.push(line(child, usize::MAX));
        } else if ["thead", "tbody", "tfoot"]
            .iter()
            .any(|name| child.has_name(name))
        {
            let rows = child.element_children().into_iter();
            for row in rows.filter(|row| row.has_name("tr")) {
                let line = line(row, part);
                if child.has_name("thead") {
                    for cell in &line.cells {
                        cell.rename("th");
                    }
                }
                lines.push(line);
            }
        }
    }
    lines
}

fn line(node: NodeRef<'_>, part: usize) -> Line<'_> {
    let mut cells = node.element_children();
    cells.retain(|cell| cell.has_name("td") || cell.has_name("th"));
    Line { node, part, cells }
}

/// Cells of a table that cannot be written as one: each is a block, so that they are not run together.
fn apart(table: &NodeRef, rows: &[Line]) {
    for row in rows {
        for cell in &row.cells {
            cell.rename("div");
        }
        row.node.rename("div");
        if let Some(part) = row.node.parent() {
            part.rename("div");
        }
    }
    table.rename("div");
}

/// Gives all rows the same columns, and one row of headers; `false` if there would be too many.
fn regular(table: &NodeRef, rows: &[Line]) -> bool {
    let said: Vec<Row> = rows
        .iter()
        .map(|row| Row {
            part: row.part,
            cells: row.cells.iter().map(span).collect(),
        })
        .collect();
    let Some(grid) = grid::grid(&said) else {
        return false;
    };
    for (row, slots) in rows.iter().zip(&grid) {
        // Nothing is drawn of a row without cells, and Markdown has no such rows.
        if row.cells.is_empty() {
            row.node.remove_from_parent();
            continue;
        }
        let name = if row.heads() { "th" } else { "td" };
        for slot in slots {
            match slot {
                Some(slot) if slot.begins => row.node.append_child(&at(rows, slot)),
                slot => {
                    let again = slot.map(|slot| again(&at(rows, &slot), slot.width == slots.len()));
                    append(&row.node, name, again.unwrap_or_default());
                }
            }
        }
    }
    one_head(table, rows, &grid);
    true
}

/// Puts the headers of several rows into one; what is said of all columns comes above the table.
fn one_head(table: &NodeRef, rows: &[Line], grid: &[Vec<Option<Slot>>]) {
    let written: Vec<usize> = (0..rows.len())
        .filter(|row| !rows[*row].cells.is_empty())
        .collect();
    let heads = written.iter().take_while(|row| rows[**row].heads()).count();
    if heads == written.len() {
        return;
    }
    let title = |row: &usize| {
        let slots = &grid[*row];
        let whole = |slot: &Option<Slot>| slot.is_some_and(|at| at.cell == (*row, 0));
        slots.len() > 1 && slots.iter().all(whole)
    };
    let (titles, heads): (Vec<usize>, Vec<usize>) =
        written[..heads].iter().copied().partition(title);
    for title in titles {
        above(table, &rows[title].cells[0]);
        rows[title].node.remove_from_parent();
    }
    let [first, others @ ..] = heads.as_slice() else {
        return;
    };
    if others.is_empty() {
        return;
    }
    let all = (0..grid[*first].len()).map(|column| header(rows, grid, &heads, column));
    let all: Vec<String> = all.collect();
    // Its cells are in their columns by now.
    for (cell, all) in rows[*first].node.element_children().iter().zip(all) {
        // What says it already keeps its links.
        if words(cell) != all {
            cell.remove_children();
            cell.append_child(&table.tree.new_text(all));
        }
    }
    for row in others {
        rows[*row].node.remove_from_parent();
    }
}

/// What the rows of headers say of a column, from the top down.
fn header(rows: &[Line], grid: &[Vec<Option<Slot>>], heads: &[usize], column: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let slots = heads.iter().filter_map(|row| grid[*row][column]);
    for part in slots.map(|slot| words(&at(rows, &slot))) {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" ")
}

fn at<'a>(rows: &[Line<'a>], slot: &Slot) -> NodeRef<'a> {
    rows[slot.cell.0].cells[slot.cell.1]
}

/// What a cell says in a slot that it covers and does not begin in; `all` columns are covered by it, or not.
fn again(cell: &NodeRef, all: bool) -> String {
    let said = words(cell);
    let once = all || said.chars().count() > AGAIN;
    if once { String::new() } else { said }
}

fn append(row: &NodeRef, name: &str, text: String) {
    let cell = row.tree.new_element(name);
    cell.append_child(&row.tree.new_text(text));
    row.append_child(&cell);
}

/// Puts what is in a part of a table on a line above it.
fn above(table: &NodeRef, part: &NodeRef) {
    let line = table.tree.new_element("p");
    for child in part.children() {
        line.append_child(&child);
    }
    table.insert_before(&line);
}

fn span(cell: &NodeRef) -> Span {
    let number = |names: [&str; 2]| {
        let said = names.iter().find_map(|name| cell.attr(name))?;
        said.trim().parse::<usize>().ok()
    };
    Span {
        columns: number(["colspan", "aria-colspan"]).unwrap_or(1),
        // Zero means all that are left.
        rows: match number(["rowspan", "aria-rowspan"]) {
            Some(0) => grid::MOST_ROWS,
            rows => rows.unwrap_or(1),
        },
    }
}

fn is_one_of(node: &NodeRef, roles: &[&str]) -> bool {
    let Some(said) = node.attr("role") else {
        return false;
    };
    let said = said.trim();
    roles.iter().any(|role| said.eq_ignore_ascii_case(role))
}

#[cfg(test)]
mod tests;
