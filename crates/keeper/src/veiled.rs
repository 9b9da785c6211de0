//! Answers without the values that nobody is shown, whatever the page made of them.
//!
//! Only what comes from pages and callers is looked at. The output's schema says what that is: a name of a
//! field, a value of an enumeration, a number or an id of ours is never changed, because a front could not
//! read the answer any more, or an agent would lose its tab.

use serde_json::Value;
use szk_page::Veil;
use szk_tools::browser::{Batch, Extract, Logs, RunCode, RunFile};
use szk_tools::workflow::Scrape;
use szk_tools::{Code, Failure, Operation, Response, Spec};

/// Fields with ids, places, times and words of ours.
const OURS: [&str; 23] = [
    "session",
    "tab",
    "id",
    "opener",
    "new_tabs",
    "path",
    "report",
    "cursor",
    "kind",
    "state",
    "store",
    "tool",
    "http_url",
    "ws_url",
    "env",
    "code",
    "key",
    "source",
    "since",
    "last_used",
    "saved",
    "first_expiry",
    "last_expiry",
];
/// Fields with sentences of ours, in which a page may be quoted.
const SENTENCES: [&str; 7] = [
    "note", "notes", "warnings", "steps", "stopped", "checked", "line",
];
/// Operations whose text is the page's, but for a few words.
const OF_THE_PAGE: [&str; 5] = [
    RunCode::NAME,
    RunFile::NAME,
    Extract::NAME,
    Logs::NAME,
    Scrape::NAME,
];

/// What one operation's answers are without them.
pub(crate) struct Veiled<'a> {
    veil: &'a Veil,
    spec: &'static Spec,
}

impl<'a> Veiled<'a> {
    pub(crate) fn of(veil: &'a Veil, spec: &'static Spec) -> Self {
        Self { veil, spec }
    }

    /// The same answer without them.
    pub(crate) fn take_out(&self, result: Result<Response, Failure>) -> Result<Response, Failure> {
        // Each step of a batch came through here.
        if self.veil.is_empty() || self.spec.name == Batch::NAME {
            return result;
        }
        match result {
            Ok(mut response) => {
                if OF_THE_PAGE.contains(&self.spec.name) {
                    self.veil.cover(&mut response.summary);
                } else {
                    self.veil.said(&mut response.summary);
                }
                self.data(&mut response.data);
                Ok(response)
            }
            Err(mut failure) => {
                if failure.code == Code::ScriptFailed {
                    self.veil.cover(&mut failure.message);
                } else {
                    self.veil.said(&mut failure.message);
                }
                failure
                    .hint
                    .iter_mut()
                    .for_each(|hint| self.veil.said(hint));
                Err(failure)
            }
        }
    }

    fn data(&self, data: &mut Value) {
        self.data_of(data, &(self.spec.output)());
    }

    /// Data of a schema, which is costly to make.
    fn data_of(&self, data: &mut Value, schema: &Value) {
        self.value(data, &[schema], "");
    }

    /// One value, which fits at least one of the schemas.
    fn value(&self, value: &mut Value, schemas: &[&Value], field: &str) {
        let schemas = &flat(schemas)[..];
        match value {
            Value::String(text) => self.text(text, schemas, field),
            Value::Array(items) => {
                let inner: Vec<&Value> = schemas.iter().filter_map(|s| s.get("items")).collect();
                for item in items {
                    self.value(item, &inner, field);
                }
            }
            Value::Object(fields) => {
                let known = schemas
                    .iter()
                    .any(|schema| schema.get("properties").is_some());
                if !known && untyped(schemas) {
                    // What code of a caller made of a page; its names are the page's too.
                    return match field {
                        "value" => self.veil.json(value),
                        _ => self.veil.values(value),
                    };
                }
                for (name, value) in fields {
                    let inner: Vec<&Value> = schemas
                        .iter()
                        .filter_map(|schema| {
                            let own = schema.get("properties").and_then(|all| all.get(name));
                            own.or_else(|| schema.get("additionalProperties"))
                        })
                        .collect();
                    let field = if OURS.contains(&field) { field } else { name };
                    self.value(value, &inner, field);
                }
            }
            // A typed number is a count, a size or a time of ours.
            Value::Number(_) if untyped(schemas) => self.veil.json(value),
            Value::Number(_) | Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&self, text: &mut String, schemas: &[&Value], field: &str) {
        let named = schemas.iter().any(|schema| {
            let listed = schema.get("enum").and_then(Value::as_array);
            listed.is_some_and(|all| all.iter().any(|one| one == &**text))
                || schema.get("const").is_some_and(|one| one == &**text)
        });
        let ours = OURS.contains(&field) && !untyped(schemas);
        if named || ours {
        } else if SENTENCES.contains(&field) {
            self.veil.said(text);
        } else {
            self.veil.cover(text);
        }
    }
}

/// Schemas with their alternatives in their place.
fn flat<'s>(schemas: &[&'s Value]) -> Vec<&'s Value> {
    let mut all = Vec::new();
    for schema in schemas {
        all.push(*schema);
        for many in ["anyOf", "oneOf", "allOf"] {
            let inner = schema.get(many).and_then(Value::as_array);
            let inner: Vec<&Value> = inner.into_iter().flatten().collect();
            all.extend(flat(&inner));
        }
    }
    all
}

/// Whether anything at all may stand there.
fn untyped(schemas: &[&Value]) -> bool {
    let says = |schema: &Value| {
        [
            "type",
            "enum",
            "const",
            "properties",
            "anyOf",
            "oneOf",
            "allOf",
        ]
        .iter()
        .any(|word| schema.get(word).is_some())
    };
    !schemas.iter().any(|schema| says(schema))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;
    use szk_tools::specs;

    use super::*;
    use crate::sample;

    fn words(schema: &Value, all: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                if let Some(Value::Object(fields)) = map.get("properties") {
                    all.extend(fields.keys().cloned());
                }
                for name in ["enum", "const"] {
                    match map.get(name) {
                        Some(Value::Array(names)) => {
                            all.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
                        }
                        Some(Value::String(name)) => drop(all.insert(name.clone())),
                        _ => {}
                    }
                }
                map.values().for_each(|value| words(value, all));
            }
            Value::Array(items) => items.iter().for_each(|item| words(item, all)),
            _ => {}
        }
    }

    #[test]
    fn no_secret_breaks_an_answer() {
        for spec in specs() {
            let schema = (spec.output)();
            let mut secrets = BTreeSet::new();
            words(&schema, &mut secrets);
            secrets.extend(["7", "77777", "t1", "e12", "true"].map(str::to_owned));
            let samples: Vec<Value> = sample::of(&schema, "x", 1).collect();
            for secret in secrets {
                let veil = Veil::default();
                veil.add(&secret);
                let veiled = Veiled::of(&veil, spec);
                for whole in &samples {
                    let mut data = whole.clone();
                    veiled.data_of(&mut data, &schema);
                    // What is as it was can be read as it was.
                    if data != *whole {
                        let read = szk_tools::check_answer(spec.name, data.clone());
                        assert!(read.is_ok(), "{} with `{secret}`: {data:#}", spec.name);
                    }
                }
            }
            for whole in samples {
                let read = szk_tools::check_answer(spec.name, whole.clone());
                assert!(read.is_ok(), "{}: {whole:#}", spec.name);
            }
        }
    }

    #[test]
    fn every_text_of_a_page_is_covered() {
        for spec in specs() {
            let (veil, schema) = (Veil::default(), (spec.output)());
            veil.add("hunter2");
            for mut data in sample::of(&schema, "says hunter2", 1) {
                if spec.name == "browser_batch" {
                    continue;
                }
                Veiled::of(&veil, spec).data(&mut data);
                for (field, text) in sample::texts(&data) {
                    let shown = text.contains("hunter2");
                    assert!(
                        !shown || OURS.contains(&&*field),
                        "{}.{field}: {text}",
                        spec.name
                    );
                }
            }
        }
    }

    fn failed(secret: &str, failure: Failure) -> Failure {
        let veil = Veil::default();
        veil.add(secret);
        let spec = szk_tools::find("browser_run_code").unwrap();
        Veiled::of(&veil, spec).take_out(Err(failure)).unwrap_err()
    }

    #[test]
    fn failures_keep_our_words_and_lose_the_page_s() {
        let failure = Failure::invalid("`wrong` is wrong").hint("what is wrong stays");
        let shown = failed("wrong", failure);
        assert_eq!(shown.message, "`***` is wrong");
        assert_eq!(shown.hint.as_deref(), Some("what is wrong stays"));
        let thrown = failed("wrong", Failure::new(Code::ScriptFailed, "Error: wrong"));
        assert_eq!(thrown.message, "Error: ***");
    }

    #[test]
    fn values_of_code_lose_it_in_names_and_numbers_too() {
        let veil = Veil::default();
        veil.add("123456");
        let spec = szk_tools::find("browser_run_code").unwrap();
        let mut data =
            json!({"session": "work", "tab": "t1", "kind": "object", "value": {"123456": 123456}});
        Veiled::of(&veil, spec).data(&mut data);
        assert_eq!(data["value"], json!({"***": "***"}));
    }
}
