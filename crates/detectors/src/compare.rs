//! Where a report differs from gold.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::report::{Outcome, Report};

/// One check in one realm that tells a browser from gold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the check.
    pub check: String,
    /// Where it ran.
    pub realm: String,
    /// Which browser it ran in.
    pub mode: String,
    /// What is different, by path in the value; for a verdict the path is empty.
    pub changes: Vec<Change>,
}

/// One place where a value differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Keys and indices from the outside in, joined by dots; empty for the whole value.
    pub path: String,
    /// What gold has there, if anything.
    pub gold: Option<Value>,
    /// What was seen instead, if anything.
    pub seen: Option<Value>,
}

/// Beyond this many, changes say nothing new about a check.
const MOST_CHANGES: usize = 60;

/// Everything in which `report` differs from `gold`, and every failed verdict in it.
#[must_use]
pub fn compare(gold: &Report, report: &Report) -> Vec<Difference> {
    let empty = BTreeMap::new();
    let realms: BTreeSet<&String> = gold.realms.keys().chain(report.realms.keys()).collect();
    let mut differences = Vec::new();
    for realm in realms {
        let ours = report.realms.get(realm).unwrap_or(&empty);
        let golds = gold.realms.get(realm).unwrap_or(&empty);
        let checks: BTreeSet<&String> = golds.keys().chain(ours.keys()).collect();
        for check in checks {
            let mut changes = between(golds.get(check), ours.get(check));
            changes.truncate(MOST_CHANGES);
            if !changes.is_empty() {
                differences.push(Difference {
                    check: check.clone(),
                    realm: realm.clone(),
                    mode: report.mode.clone(),
                    changes,
                });
            }
        }
    }
    differences
}

fn between(gold: Option<&Outcome>, seen: Option<&Outcome>) -> Vec<Change> {
    match (gold, seen) {
        (_, Some(Outcome::Verdict { ok: true, .. })) => Vec::new(),
        (Some(Outcome::Value(gold)), Some(Outcome::Value(seen))) => {
            let mut changes = Vec::new();
            walk(&mut changes, String::new(), gold, seen);
            changes
        }
        (gold, seen) if gold == seen && !matches!(seen, Some(Outcome::Verdict { .. })) => {
            Vec::new()
        }
        (gold, seen) => vec![Change {
            path: String::new(),
            gold: gold.map(plain),
            seen: seen.map(plain),
        }],
    }
}

/// An outcome as a value to show.
fn plain(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Value(value) | Outcome::Verdict { seen: value, .. } => value.clone(),
        Outcome::Error(error) => Value::from(format!("error: {error}")),
    }
}

fn walk(changes: &mut Vec<Change>, path: String, gold: &Value, seen: &Value) {
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match (gold, seen) {
        _ if gold == seen => {}
        (Value::Object(golds), Value::Object(seens)) => {
            let keys: BTreeSet<&String> = golds.keys().chain(seens.keys()).collect();
            for key in keys {
                match (golds.get(key), seens.get(key)) {
                    (Some(gold), Some(seen)) => walk(changes, below(key), gold, seen),
                    (gold, seen) => changes.push(Change {
                        path: below(key),
                        gold: gold.cloned(),
                        seen: seen.cloned(),
                    }),
                }
            }
        }
        (Value::Array(golds), Value::Array(seens)) if all_text(golds) && all_text(seens) => {
            lists(changes, &path, golds, seens);
        }
        (Value::Array(golds), Value::Array(seens)) if golds.len() == seens.len() => {
            for (index, (gold, seen)) in golds.iter().zip(seens).enumerate() {
                walk(changes, below(&index.to_string()), gold, seen);
            }
        }
        _ => changes.push(Change {
            path,
            gold: Some(gold.clone()),
            seen: Some(seen.clone()),
        }),
    }
}

fn all_text(values: &[Value]) -> bool {
    values.iter().all(Value::is_string)
}

/// Compares lists of names by members; an index would only say that everything after it has moved.
fn lists(changes: &mut Vec<Change>, path: &str, golds: &[Value], seens: &[Value]) {
    let before = changes.len();
    let mut push = |gold: Option<&Value>, seen: Option<&Value>| {
        changes.push(Change {
            path: path.to_owned(),
            gold: gold.cloned(),
            seen: seen.cloned(),
        });
    };
    golds
        .iter()
        .filter(|gold| !seens.contains(gold))
        .for_each(|gold| push(Some(gold), None));
    seens
        .iter()
        .filter(|seen| !golds.contains(seen))
        .for_each(|seen| push(None, Some(seen)));
    if changes.len() == before {
        // The same members in another order or number.
        changes.push(Change {
            path: path.to_owned(),
            gold: Some(golds.into()),
            seen: Some(seens.into()),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(outcome: Option<Outcome>) -> Report {
        let checks = outcome.map(|outcome| ("check".to_owned(), outcome));
        Report {
            mode: "szk".into(),
            realms: [("main".to_owned(), checks.into_iter().collect())].into(),
        }
    }

    #[track_caller]
    fn check(gold: Option<Outcome>, seen: Option<Outcome>, expected: &[(&str, Value, Value)]) {
        let found = compare(&report(gold), &report(seen));
        let changes: Vec<_> = found
            .iter()
            .flat_map(|difference| &difference.changes)
            .map(|change| {
                let value = |value: &Option<Value>| value.clone().unwrap_or_default();
                (
                    change.path.as_str(),
                    value(&change.gold),
                    value(&change.seen),
                )
            })
            .collect();
        assert_eq!(changes, expected);
    }

    fn value(value: Value) -> Option<Outcome> {
        Some(Outcome::Value(value))
    }

    fn verdict(ok: bool) -> Option<Outcome> {
        Some(Outcome::Verdict {
            ok,
            seen: json!("seen"),
        })
    }

    #[test]
    fn what_is_the_same_is_no_difference() {
        check(value(json!({"a": [1]})), value(json!({"a": [1]})), &[]);
        check(
            Some(Outcome::Error("no".into())),
            Some(Outcome::Error("no".into())),
            &[],
        );
    }

    #[test]
    fn objects_differ_where_they_differ() {
        check(
            value(json!({"a": {"b": 1, "c": 1}, "d": 1})),
            value(json!({"a": {"b": 2, "c": 1}})),
            &[("a.b", json!(1), json!(2)), ("d", json!(1), json!(null))],
        );
    }

    #[test]
    fn lists_of_names_differ_by_members() {
        check(
            value(json!(["a", "b"])),
            value(json!(["x", "a"])),
            &[("", json!("b"), json!(null)), ("", json!(null), json!("x"))],
        );
        check(
            value(json!(["a", "b"])),
            value(json!(["b", "a"])),
            &[("", json!(["a", "b"]), json!(["b", "a"]))],
        );
    }

    #[test]
    fn a_verdict_needs_no_gold() {
        check(None, verdict(true), &[]);
        check(verdict(false), verdict(true), &[]);
        check(
            verdict(true),
            verdict(false),
            &[("", json!("seen"), json!("seen"))],
        );
        check(
            verdict(false),
            verdict(false),
            &[("", json!("seen"), json!("seen"))],
        );
    }

    #[test]
    fn a_check_that_is_missing_is_a_difference() {
        check(value(json!(1)), None, &[("", json!(1), json!(null))]);
        check(None, value(json!(1)), &[("", json!(null), json!(1))]);
        check(verdict(true), None, &[("", json!("seen"), json!(null))]);
    }
}
