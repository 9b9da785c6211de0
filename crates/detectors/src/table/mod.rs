//! The table check × realm × mode, as text, JSON and one HTML page.

mod html;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::allowed::Allowed;
use crate::compare::{Difference, compare};
use crate::report::{Outcome, Report};

/// Display order of realms; others follow.
const ORDER: [&str; 17] = [
    "main",
    "frame",
    "cross-frame",
    "srcdoc",
    "blank-frame",
    "sandboxed",
    "popup",
    "cross-popup",
    "blank-popup",
    "small-popup",
    "dedicated",
    "nested",
    "shared",
    "service",
    "worklet",
    "prerender",
    "http",
];

/// Gold, and the browsers compared with it.
#[derive(Debug, Clone)]
pub struct Table {
    gold: Report,
    columns: Vec<Column>,
    allowed: Allowed,
}

/// One browser beside gold.
#[derive(Debug, Clone)]
struct Column {
    report: Report,
    differences: Vec<Difference>,
}

/// How one check turned out in one realm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// It does not run there.
    Absent,
    Same,
    /// Different, with a reason in the list.
    Allowed,
    Different,
}

impl Table {
    /// A table with only gold. `allowed` is only used to show reasons.
    #[must_use]
    pub fn new(gold: Report, allowed: Allowed) -> Self {
        Self {
            gold,
            columns: Vec::new(),
            allowed,
        }
    }

    /// Adds a browser; returns where it differs from gold.
    pub fn add(&mut self, report: Report) -> &[Difference] {
        let differences = compare(&self.gold, &report);
        self.columns.push(Column {
            report,
            differences,
        });
        self.columns
            .last()
            .map_or(&[], |column| &column.differences)
    }

    /// Everything for programs: reports and differences.
    #[must_use]
    pub fn json(&self) -> Value {
        let modes: Vec<Value> = self
            .columns
            .iter()
            .map(|column| {
                json!({
                    "mode": column.report.mode,
                    "outcomes": column.report.outcomes(),
                    "differences": column.differences,
                    "realms": column.report.realms,
                })
            })
            .collect();
        json!({"gold": self.gold, "modes": modes})
    }

    /// For people at a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        text::render(self)
    }

    /// For people with a browser: one page that needs nothing else.
    #[must_use]
    pub fn html(&self) -> String {
        html::render(self)
    }

    /// Names of all checks, and of all realms in their order.
    fn names(&self) -> (BTreeSet<&str>, Vec<&str>) {
        let reports = || {
            self.columns
                .iter()
                .map(|column| &column.report)
                .chain([&self.gold])
        };
        let realms: BTreeSet<&str> = reports()
            .flat_map(|report| report.realms.keys().map(String::as_str))
            .collect();
        let mut realms: Vec<&str> = realms.into_iter().collect();
        realms.sort_by_key(|realm| {
            ORDER
                .iter()
                .position(|known| known == realm)
                .unwrap_or(ORDER.len())
        });
        let checks = reports()
            .flat_map(|report| report.realms.values())
            .flat_map(|checks| checks.keys().map(String::as_str));
        (checks.collect(), realms)
    }

    fn state(&self, column: &Column, check: &str, realm: &str) -> State {
        let found = column
            .differences
            .iter()
            .find(|difference| difference.check == check && difference.realm == realm);
        match found {
            Some(difference) if self.is_allowed(difference) => State::Allowed,
            Some(_) => State::Different,
            None if outcome(&column.report, check, realm).is_some() => State::Same,
            None => State::Absent,
        }
    }

    fn is_allowed(&self, difference: &Difference) -> bool {
        difference
            .changes
            .iter()
            .all(|change| self.allowed.reason(difference, &change.path).is_some())
    }

    /// Differences of one column by check, each with the realms that differ in the same way.
    fn grouped<'a>(
        &self,
        column: &'a Column,
    ) -> BTreeMap<&'a str, Vec<(Vec<&'a str>, &'a Difference)>> {
        let mut grouped: BTreeMap<&str, Vec<(Vec<&str>, &Difference)>> = BTreeMap::new();
        for difference in &column.differences {
            let kinds = grouped.entry(&difference.check).or_default();
            match kinds
                .iter_mut()
                .find(|(_, known)| known.changes == difference.changes)
            {
                Some((realms, _)) => realms.push(&difference.realm),
                None => kinds.push((vec![&difference.realm], difference)),
            }
        }
        grouped
    }
}

fn outcome<'a>(report: &'a Report, check: &str, realm: &str) -> Option<&'a Outcome> {
    report.realms.get(realm)?.get(check)
}

/// A value on one line, cut if it gets long.
fn short(value: Option<&Value>, limit: usize) -> String {
    let text = match value {
        None => return "–".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(mode: &str, value: &str) -> Report {
        let checks = [
            ("agent".to_owned(), Outcome::Value(json!({"name": value}))),
            ("same".to_owned(), Outcome::Value(json!(1))),
        ];
        Report {
            mode: mode.into(),
            realms: [("main".to_owned(), checks.into())].into(),
        }
    }

    fn table() -> Table {
        let mut table = Table::new(report("gold", "<Chromium>"), Allowed::default());
        table.add(report("other", "Headless"));
        table
    }

    #[test]
    fn text_names_check_realm_and_both_values() {
        let text = table().text();
        for part in ["agent", "other", "main", "name", "<Chromium>", "Headless"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn html_is_one_page_in_which_nothing_of_a_report_is_markup() {
        let html = table().html();
        assert!(
            html.contains("&lt;Chromium&gt;") && !html.contains("<Chromium>"),
            "{html}"
        );
        assert!(
            !html.contains("src=") && !html.contains("href=\"http"),
            "{html}"
        );
    }

    #[test]
    fn json_has_the_differences() {
        let json = table().json();
        assert_eq!(json["modes"][0]["differences"][0]["check"], "agent");
    }
}
