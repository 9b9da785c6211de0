//! The table as one HTML page: a coloured square per realm, and the differences below.

use std::fmt::Write as _;

use super::{State, Table, short};

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

fn matrix(table: &Table, out: &mut String) {
    let (checks, realms) = table.names();
    let _ = writeln!(
        out,
        "<p class=\"order\">Squares, from left to right: {}.</p>",
        escape(&realms.iter().copied().collect::<Vec<_>>().join(", "))
    );
    out.push_str("<table>\n<thead><tr><th>check</th>");
    for column in &table.columns {
        let _ = write!(out, "<th>{}</th>", escape(&column.report.mode));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for check in checks {
        let _ = write!(out, "<tr><th>{}</th>", escape(check));
        for (at, column) in table.columns.iter().enumerate() {
            let states = realms
                .iter()
                .map(|realm| (*realm, table.state(column, check, realm)));
            let states: Vec<(&str, State)> = states.collect();
            let worst = states.iter().map(|(_, state)| *state).max();
            out.push_str("<td>");
            if worst > Some(State::Same) {
                let _ = write!(out, "<a href=\"#{}\">", anchor(at, check));
            }
            out.push_str("<span class=\"r\">");
            for (realm, state) in states {
                let class = match state {
                    State::Absent => "n",
                    State::Same => "s",
                    State::Allowed => "l",
                    State::Different => "d",
                };
                let _ = write!(out, "<i class=\"{class}\" title=\"{}\"></i>", escape(realm));
            }
            out.push_str("</span>");
            if worst > Some(State::Same) {
                out.push_str("</a>");
            }
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
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

/// Where the differences of a check stand.
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
