//! The table as one HTML page: a coloured square per realm, and the differences below.

use std::fmt::Write as _;

use super::{Column, State, Table, short};

/// Values are cut here.
const WIDTH: usize = 400;

const STYLE: &str = include_str!("style.css");

pub(super) fn render(table: &Table) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>szk detectors</title>\n<style>\n{STYLE}</style>\n<main>\n<h1>What a page can see</h1>\n"
    );
    summary(table, &mut out);
    matrix(table, &mut out);
    details(table, &mut out);
    out.push_str("</main>\n</html>\n");
    out
}

fn summary(table: &Table, out: &mut String) {
    let (checks, realms) = table.names();
    let _ = writeln!(
        out,
        "<p class=\"lead\">{} checks in {} realms. <b>gold</b> is the same browser started by hand; it has {} outcomes. Every other column is held against it.</p>",
        checks.len(),
        realms.len(),
        table.gold.outcomes()
    );
    out.push_str("<div class=\"cards\">\n");
    for (at, column) in table.columns.iter().enumerate() {
        let allowed = column
            .differences
            .iter()
            .filter(|difference| table.is_allowed(difference))
            .count();
        let differ = column.differences.len() - allowed;
        let class = if differ == 0 { "good" } else { "bad" };
        let _ = writeln!(
            out,
            "<a class=\"card {class}\" href=\"#m{at}\"><h2>{}</h2><strong>{differ}</strong> differ<small>{} outcomes{}</small></a>",
            escape(&column.report.mode),
            column.report.outcomes(),
            if allowed == 0 {
                String::new()
            } else {
                format!(", {allowed} more differ for a listed reason")
            }
        );
    }
    out.push_str("</div>\n<p class=\"key\"><i class=\"s\"></i> as gold <i class=\"d\"></i> different <i class=\"l\"></i> different, with a listed reason <i class=\"n\"></i> does not run there</p>\n");
}

/// First the checks that tell some browser from gold; the others are folded away.
fn matrix(table: &Table, out: &mut String) {
    let (checks, realms) = table.names();
    let (telling, silent): (Vec<&str>, Vec<&str>) = checks.into_iter().partition(|check| {
        let columns = || table.columns.iter();
        columns().any(|column| {
            column
                .differences
                .iter()
                .any(|found| found.check == **check)
        })
    });
    rows(table, &telling, &realms, out);
    let _ = writeln!(
        out,
        "<details{}><summary>{} checks that show no difference anywhere</summary>",
        if telling.is_empty() { " open" } else { "" },
        silent.len()
    );
    rows(table, &silent, &realms, out);
    out.push_str("</details>\n");
}

fn rows(table: &Table, checks: &[&str], realms: &[&str], out: &mut String) {
    if checks.is_empty() {
        return;
    }
    let names: String = realms
        .iter()
        .map(|realm| format!("<span>{}</span>", escape(realm)))
        .collect();
    out.push_str("<table class=\"matrix\">\n<thead><tr><th>check</th>");
    for column in &table.columns {
        let _ = write!(
            out,
            "<th><b>{}</b><div class=\"names\">{names}</div></th>",
            escape(&column.report.mode)
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for check in checks {
        let _ = write!(out, "<tr><th>{}</th>", escape(check));
        for (at, column) in table.columns.iter().enumerate() {
            cell(table, at, column, check, realms, out);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

/// One square per realm; those of a check that differs link to the difference.
fn cell(table: &Table, at: usize, column: &Column, check: &str, realms: &[&str], out: &mut String) {
    let mut squares = String::new();
    let mut differs = false;
    for realm in realms {
        let state = table.state(column, check, realm);
        differs |= state > State::Same;
        let class = match state {
            State::Absent => "n",
            State::Same => "s",
            State::Allowed => "l",
            State::Different => "d",
        };
        let _ = write!(
            squares,
            "<i class=\"{class}\" title=\"{}\"></i>",
            escape(realm)
        );
    }
    let _ = if differs {
        write!(
            out,
            "<td><a class=\"r\" href=\"#{}\">{squares}</a></td>",
            anchor(at, check)
        )
    } else {
        write!(out, "<td><span class=\"r\">{squares}</span></td>")
    };
}

fn details(table: &Table, out: &mut String) {
    for (at, column) in table.columns.iter().enumerate() {
        let _ = writeln!(out, "<h2 id=\"m{at}\">{}</h2>", escape(&column.report.mode));
        if column.differences.is_empty() {
            out.push_str("<p>Nothing differs from gold.</p>\n");
        }
        for (check, kinds) in table.grouped(column) {
            let _ = writeln!(
                out,
                "<section id=\"{}\"><h3>{}</h3>",
                anchor(at, check),
                escape(check)
            );
            for (realms, difference) in kinds {
                let _ = writeln!(
                    out,
                    "<p class=\"realms\">{}</p>\n<table class=\"changes\"><thead><tr><th>where</th><th>gold</th><th>{}</th></tr></thead><tbody>",
                    escape(&realms.join(" · ")),
                    escape(&column.report.mode)
                );
                for change in &difference.changes {
                    let reason = table.allowed.reason(difference, &change.path);
                    let _ = writeln!(
                        out,
                        "<tr{}><th>{}</th><td class=\"gold\">{}</td><td class=\"seen\">{}</td></tr>",
                        if reason.is_some() {
                            " class=\"listed\""
                        } else {
                            ""
                        },
                        escape(&change.path),
                        escape(&short(change.gold.as_ref(), WIDTH)),
                        escape(&short(change.seen.as_ref(), WIDTH))
                    );
                    if let Some(reason) = reason {
                        let _ = writeln!(
                            out,
                            "<tr class=\"listed\"><th></th><td colspan=\"2\" class=\"reason\">{}</td></tr>",
                            escape(reason)
                        );
                    }
                }
                out.push_str("</tbody></table>\n");
            }
            out.push_str("</section>\n");
        }
    }
}

/// Anchor of a check's differences.
fn anchor(column: usize, check: &str) -> String {
    let word: String = check
        .chars()
        .map(|part| {
            if part.is_ascii_alphanumeric() {
                part
            } else {
                '-'
            }
        })
        .collect();
    format!("m{column}-{word}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
