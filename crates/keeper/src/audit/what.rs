//! What a call pointed at, for the audit log: the few fields that say so, and of all others only that they
//! were given. A field that is not listed here is never shown.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use szk_page::Redactor;
use szk_page::event_log::redact;
use szk_tools::Call;

/// Fields shown as they are. What people type, code, headers and credentials are none of them; nor is the
/// key of a press, because passwords can be typed key by key.
const SHOWN: [&str; 21] = [
    "tab",
    "tool",
    "kind",
    "action",
    "mode",
    "wait",
    "state",
    "then",
    "history",
    "ref",
    "selector",
    "role",
    "name",
    "label",
    "keep_as",
    "preset",
    "path",
    "paths",
    "dir",
    "extensions",
    "runner",
];
/// Fields with addresses, shown without logins and secret parameters.
const ADDRESSES: [&str; 3] = ["url", "urls", "success_url"];
/// Stands for a value that is not shown.
const HIDDEN: &str = "…";
/// Longest text, in characters.
const LONGEST: usize = 300;
/// Most entries of a list.
const MOST: usize = 50;

/// The fields of a call.
pub(super) fn of(call: &Call) -> BTreeMap<String, Value> {
    match call.encode() {
        Ok(Value::Object(input)) => fields(input).collect(),
        _ => BTreeMap::new(),
    }
}

fn fields(input: Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    let told = input.into_iter().filter(|(name, value)| {
        // The line names the session itself.
        name != "session" && !value.is_null()
    });
    told.map(|(name, value)| {
        let shown = field(&name, value);
        (name, shown)
    })
}

fn field(name: &str, value: Value) -> Value {
    match value {
        Value::String(text) if SHOWN.contains(&name) => cut(&redact::text(&text)).into(),
        Value::String(text) if ADDRESSES.contains(&name) => cut(&redact::url(&text)).into(),
        Value::Array(values) if SHOWN.contains(&name) || ADDRESSES.contains(&name) => {
            let values = values.into_iter().take(MOST);
            values.map(|value| field(name, value)).collect()
        }
        Value::Array(steps) if name == "steps" => {
            let steps = steps.into_iter().take(MOST);
            steps.map(|step| field("input", step)).collect()
        }
        Value::Object(input) if name == "input" => Value::Object(fields(input).collect()),
        Value::Bool(_) => value,
        // A number in a field for any value can be a PIN.
        Value::Number(_) if !matches!(name, "value" | "args" | "params") => value,
        _ => HIDDEN.into(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}{HIDDEN}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Removes what was filled into fields by name.
pub(super) fn redacted(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => redactor.cover(text),
        Value::Array(values) => values.iter_mut().for_each(|one| redacted(one, redactor)),
        Value::Object(fields) => fields.values_mut().for_each(|one| redacted(one, redactor)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(name: &str, input: Value, expected: Value) {
        let call = Call::decode(name, input).unwrap();
        assert_eq!(json!(of(&call)), expected);
    }

    #[test]
    fn a_call_shows_what_it_points_at_and_not_what_is_typed() {
        check(
            "browser_act",
            json!({"session": "work", "kind": "fill", "ref": "e5", "text": "hunter2", "timeout_ms": 5}),
            json!({"kind": "fill", "ref": "e5", "text": "…", "timeout_ms": 5}),
        );
        check(
            "browser_act",
            json!({"kind": "press", "key": "h"}),
            json!({"kind": "press", "key": "…"}),
        );
        check(
            "browser_navigate",
            json!({"url": "https://jane:pw@a.example/?token=abc&q=1"}),
            json!({"url": "https://***@a.example/?token=***&q=1"}),
        );
        check(
            "browser_run_code",
            json!({"code": "secret()", "args": 1234}),
            json!({"code": "…", "args": "…"}),
        );
        let steps = json!([{"tool": "browser_act", "input": {"kind": "type", "text": "hunter2"}}]);
        check(
            "browser_batch",
            json!({"steps": steps}),
            json!({"steps": [{"tool": "browser_act", "input": {"kind": "type", "text": "…"}}]}),
        );
    }

    #[test]
    fn nothing_but_the_listed_fields_of_any_operation_is_shown() {
        let listed = |name: &str| SHOWN.contains(&name) || ADDRESSES.contains(&name);
        let mut used = Vec::new();
        for spec in szk_tools::specs() {
            for one in (spec.fields)() {
                let shown = field(&one.name, json!("hunter2"));
                assert_eq!(shown == "hunter2", listed(&one.name), "{}", one.name);
                assert_eq!(field("steps", json!(["hunter2"])), json!(["…"]));
                used.push(one.name);
            }
        }
        // `tool` is a field of a batch's steps.
        for name in SHOWN.iter().chain(&ADDRESSES) {
            let known = *name == "tool" || used.iter().any(|used| used == name);
            assert!(known, "no operation has `{name}`");
        }
        let texts = [
            "text", "value", "values", "password", "headers", "code", "key",
        ];
        assert!(texts.iter().all(|name| !listed(name)));
    }
}
