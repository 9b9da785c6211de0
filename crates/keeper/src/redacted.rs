//! Removes redacted values from answers, in whatever form the page shows them.
//!
//! Changes only what comes from pages and callers. The schema of the output says what that is: field
//! names, enum values, numbers and ids of our own are never changed, because front ends could no longer
//! read the answer, or an agent would lose its tab.

use serde_json::Value;
use szk_page::Redactor;
use szk_tools::browser::{Batch, Extract, Logs, RunCode, RunFile};
use szk_tools::workflow::Scrape;
use szk_tools::{Code, Failure, Operation, Response, Spec};

/// Fields with our own ids, paths, times and enum values.
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
/// Fields with our own sentences, which may quote a page.
const SENTENCES: [&str; 7] = [
    "note", "notes", "warnings", "steps", "stopped", "checked", "line",
];
/// Operations whose text comes from the page, except for a few words.
const OF_THE_PAGE: [&str; 5] = [
    RunCode::NAME,
    RunFile::NAME,
    Extract::NAME,
    Logs::NAME,
    Scrape::NAME,
];

/// Removes redacted values from one operation's answers.
pub(crate) struct AnswerRedactor<'a> {
    redactor: &'a Redactor,
    spec: &'static Spec,
}

impl<'a> AnswerRedactor<'a> {
    pub(crate) fn of(redactor: &'a Redactor, spec: &'static Spec) -> Self {
        Self { redactor, spec }
    }

    /// The answer without redacted values.
    pub(crate) fn take_out(&self, result: Result<Response, Failure>) -> Result<Response, Failure> {
        // Each step of a batch came through here.
        if self.redactor.is_empty() || self.spec.name == Batch::NAME {
            return result;
        }
        match result {
            Ok(mut response) => {
                if OF_THE_PAGE.contains(&self.spec.name) {
                    self.redactor.cover(&mut response.summary);
                } else {
                    self.redactor.said(&mut response.summary);
                }
                self.data(&mut response.data);
                Ok(response)
            }
            Err(mut failure) => {
                if failure.code == Code::ScriptFailed {
                    self.redactor.cover(&mut failure.message);
                } else {
                    self.redactor.said(&mut failure.message);
                }
                failure
                    .hint
                    .iter_mut()
                    .for_each(|hint| self.redactor.said(hint));
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

    /// Redacts one value, which matches at least one of the schemas.
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
                    // The result of a caller's code on a page: its names come from the page too.
                    return match field {
                        "value" => self.redactor.json(value),
                        _ => self.redactor.values(value),
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
            // A typed number is our own count, size or time.
            Value::Number(_) if untyped(schemas) => self.redactor.json(value),
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
            self.redactor.said(text);
        } else {
            self.redactor.cover(text);
        }
    }
}

/// Schemas with their alternatives expanded.
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

/// Whether any value is allowed there.
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
                let redactor = Redactor::default();
                redactor.add(&secret);
                let redacting = AnswerRedactor::of(&redactor, spec);
                for whole in &samples {
                    let mut data = whole.clone();
                    redacting.data_of(&mut data, &schema);
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
            let (redactor, schema) = (Redactor::default(), (spec.output)());
            redactor.add("hunter2");
            for mut data in sample::of(&schema, "says hunter2", 1) {
                if spec.name == "browser_batch" {
                    continue;
                }
                AnswerRedactor::of(&redactor, spec).data(&mut data);
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
        let redactor = Redactor::default();
        redactor.add(secret);
        let spec = szk_tools::find("browser_run_code").unwrap();
        AnswerRedactor::of(&redactor, spec)
            .take_out(Err(failure))
            .unwrap_err()
    }

    #[test]
    fn failures_keep_our_words_and_lose_the_pages() {
        let failure = Failure::invalid("`wrong` is wrong").hint("what is wrong stays");
        let shown = failed("wrong", failure);
        assert_eq!(shown.message, "`***` is wrong");
        assert_eq!(shown.hint.as_deref(), Some("what is wrong stays"));
        let thrown = failed("wrong", Failure::new(Code::ScriptFailed, "Error: wrong"));
        assert_eq!(thrown.message, "Error: ***");
    }

    #[test]
    fn names_and_numbers_in_results_of_code_are_redacted_too() {
        let redactor = Redactor::default();
        redactor.add("123456");
        let spec = szk_tools::find("browser_run_code").unwrap();
        let mut data =
            json!({"session": "work", "tab": "t1", "kind": "object", "value": {"123456": 123456}});
        AnswerRedactor::of(&redactor, spec).data(&mut data);
        assert_eq!(data["value"], json!({"***": "***"}));
    }
}
