//! The table for a terminal: one line per check that differs somewhere, then the differences.
//!

use std::fmt::Write as _;

use super::{State, Table, short};

/// Values are cut here.
const WIDTH: usize = 100;

pub(super) fn render(table: &Table) -> String {
    let (checks, realms) = table.names();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} checks in {} realms: {} outcomes of gold",
        checks.len(),
        realms.len(),
        table.gold.outcomes()
    );
    for column in &table.columns {
        let allowed = column
            .differences
            .iter()
            .filter(|difference| table.is_allowed(difference))
            .count();
        let _ = writeln!(
            out,
            "{:16} {:5} outcomes, {:4} differ, {:4} more are listed with a reason",
            column.report.mode,
            column.report.outcomes(),
            column.differences.len() - allowed,
            allowed
        );
    }
    matrix(table, &mut out);
    details(table, &mut out);
    out
}

fn matrix(table: &Table, out: &mut String) {
    let (checks, realms) = table.names();
    let _ = write!(out, "\n{:44}", "realms that differ / that have the check");
    for column in &table.columns {
        let _ = write!(out, " {:>12.12}", column.report.mode);
    }
    let _ = writeln!(out);
    for check in checks {
        let cells: Vec<(usize, usize)> = table
            .columns
            .iter()
            .map(|column| {
                let states: Vec<State> = realms
                    .iter()
                    .map(|realm| table.state(column, check, realm))
                    .collect();
                let count = |wanted: &dyn Fn(&State) -> bool| {
                    states.iter().filter(|state| wanted(state)).count()
                };
                (
                    count(&|state| *state == State::Different),
                    count(&|state| *state != State::Absent),
                )
            })
            .collect();
        let _ = write!(out, "{check:44.44}");
        for (different, all) in cells {
            let cell = if different == 0 {
                format!("· / {all}")
            } else {
                format!("{different} / {all}")
            };
            let _ = write!(out, " {cell:>12}");
        }
        let _ = writeln!(out);
    }
}

fn details(table: &Table, out: &mut String) {
    for column in &table.columns {
        for (check, kinds) in table.grouped(column) {
            for (realms, difference) in kinds {
                let _ = writeln!(
                    out,
                    "\n{}: {check} in {}",
                    column.report.mode,
                    realms.join(", ")
                );
                for change in &difference.changes {
                    let (gold, seen) = (
                        short(change.gold.as_ref(), WIDTH),
                        short(change.seen.as_ref(), WIDTH),
                    );
                    let _ = writeln!(out, "  {}: {gold} → {seen}", change.path);
                    if let Some(reason) = table.allowed.reason(difference, &change.path) {
                        let _ = writeln!(out, "    allowed: {reason}");
                    }
                }
            }
        }
    }
}
