//! What a call pointed at, for the audit log: the fields that say so of themselves ([`Audit`]), and of all
//! others only that they were given.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use szk_page::Redactor;
use szk_page::event_log::redact;
use szk_tools::browser::BatchStep;
use szk_tools::{Audit, Call, audit};

/// Stands for a value that is not shown.
const HIDDEN: &str = "…";
/// Longest text, in characters.
const LONGEST: usize = 300;
/// Most entries of a list.
const MOST: usize = 50;

/// The fields of a call.
pub(super) fn of(call: &Call) -> BTreeMap<String, Value> {
    match call.encode() {
        Ok(Value::Object(input)) => fields(&(call.spec().audited)(), input).collect(),
        _ => BTreeMap::new(),
    }
}

/// What is shown of an input whose fields are known; of a field that is not, nothing.
fn fields(
    known: &[(&str, Audit)],
    input: Map<String, Value>,
) -> impl Iterator<Item = (String, Value)> {
    input.into_iter().filter_map(|(name, value)| {
        let audit = known.iter().find(|(known, _)| *known == name);
        let audit = audit.map_or(Audit::Hidden, |(_, audit)| *audit);
        let shown = field(audit, value)?;
        Some((name, shown))
    })
}

fn field(audit: Audit, value: Value) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    let shown = match (audit, value) {
        (Audit::Session, _) => return None,
        (Audit::Shown, Value::String(text)) => cut(&redact::text(&text)).into(),
        (Audit::Address, Value::String(text)) => cut(&redact::url(&text)).into(),
        (Audit::Shown | Audit::Address, Value::Array(values)) => {
            let values = values.into_iter().take(MOST);
            let values = values.map(|value| field(audit, value).unwrap_or_default());
            values.collect()
        }
        (
            Audit::Shown | Audit::Address | Audit::Number,
            value @ (Value::Bool(_) | Value::Number(_)),
        ) => value,
        (Audit::Steps, Value::Array(steps)) => steps.into_iter().take(MOST).map(step).collect(),
        (Audit::StepInput, Value::Object(input)) => Value::Object(input),
        (
            Audit::Shown
            | Audit::Address
            | Audit::Number
            | Audit::Hidden
            | Audit::Steps
            | Audit::StepInput
            | Audit::Flat(_),
            _,
        ) => HIDDEN.into(),
    };
    Some(shown)
}

/// A step of a batch: its input is that of the operation it calls.
fn step(step: Value) -> Value {
    let Ok(mut step) = serde_json::from_value::<BatchStep>(step) else {
        return HIDDEN.into();
    };
    let called = szk_tools::find(&step.tool).map(|spec| (spec.audited)());
    let input = std::mem::take(&mut step.input);
    step.input = fields(&called.unwrap_or_default(), input).collect();
    match serde_json::to_value(step) {
        Ok(Value::Object(step)) => Value::Object(fields(&audit::of::<BatchStep>(), step).collect()),
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
    fn what_people_type_is_shown_by_no_operation() {
        let typed = [
            "text", "value", "values", "password", "username", "secret", "headers", "code", "key",
            "args", "params", "proxy",
        ];
        for spec in szk_tools::specs() {
            for (name, audit) in (spec.audited)() {
                let shown = field(audit, json!("hunter2"));
                if typed.contains(&name) {
                    assert_eq!(shown, Some(json!("…")), "{}.{name}", spec.name);
                }
            }
        }
    }

    #[test]
    fn a_step_shows_what_its_operation_shows() {
        let steps = json!([
            {"tool": "browser_navigate", "input": {"url": "https://jane:pw@a.example/"}, "name": "go"},
            {"tool": "browser_emulate", "input": {"headers": {"x": "hunter2"}, "offline": true}},
            {"tool": "unknown", "input": {"kind": "hunter2"}, "if_text": "hunter2"},
        ]);
        check(
            "browser_batch",
            json!({"steps": steps}),
            json!({"steps": [
                {"tool": "browser_navigate", "input": {"url": "https://***@a.example/"}, "name": "go"},
                {"tool": "browser_emulate", "input": {"headers": "…", "offline": true}},
                {"tool": "unknown", "input": {"kind": "…"}, "if_text": "…"},
            ]}),
        );
    }

    #[test]
    fn a_field_that_nobody_knows_shows_nothing() {
        let input = json!({"new": 1234, "kind": "click"});
        let Value::Object(input) = input else { return };
        let known = [("kind", Audit::Shown)];
        let shown: BTreeMap<_, _> = fields(&known, input).collect();
        assert_eq!(json!(shown), json!({"new": "…", "kind": "click"}));
    }
}
