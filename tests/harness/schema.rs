//! Checks values against the JSON schemas that tools declare.
//!
//! It knows the words that our schemas use and panics at any other, so no schema is held in part.

use serde_json::Value;

/// Fails unless `value` fits `schema`.
#[track_caller]
pub(crate) fn fits(what: &str, schema: &Value, value: &Value) {
    if let Err(wrong) = check(schema, value, "") {
        panic!("the answer of {what} does not fit its schema: {wrong}\n{value:#}");
    }
}

fn check(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let words = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(words) => words,
        _ => return Err(format!("{at}: nothing is allowed here")),
    };
    for (word, says) in words {
        match word.as_str() {
            "description" | "title" => {}
            // Where there is a format, the text of it must be one.
            "format" => assert!(says.is_string(), "{at}: {says}"),
            "type" => typed(says, value, at)?,
            "const" if value != says => return Err(format!("{at}: {value} is not {says}")),
            "enum" if !list(says).contains(value) => {
                return Err(format!("{at}: {value} is none of {says}"));
            }
            "const" | "enum" => {}
            "minimum" if value.as_f64() < says.as_f64() => {
                return Err(format!("{at}: {value} is below {says}"));
            }
            "maximum" if value.as_f64() > says.as_f64() => {
                return Err(format!("{at}: {value} is above {says}"));
            }
            "minimum" | "maximum" => {}
            "allOf" => list(says)
                .iter()
                .try_for_each(|one| check(one, value, at))?,
            "anyOf" | "oneOf" => {
                let tried: Vec<_> = list(says).iter().map(|one| check(one, value, at)).collect();
                let fitting = tried.iter().filter(|tried| tried.is_ok()).count();
                if fitting == 0 || fitting > 1 && word == "oneOf" {
                    return Err(format!("{at}: {fitting} of {word} fit: {tried:?}"));
                }
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(says, item, &format!("{at}/{number}"))?;
                }
            }
            "required" => {
                let has = |name: &&Value| value.get(name.as_str().unwrap_or_default()).is_none();
                if let Some(missing) = list(says).iter().find(has).filter(|_| value.is_object()) {
                    return Err(format!("{at}: {missing} is missing"));
                }
            }
            "properties" => {
                for (name, inner) in says.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        check(inner, value, &format!("{at}/{name}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if !known(name) {
                        check(says, inner, &format!("{at}/{name}"))?;
                    }
                }
            }
            other => panic!("{at}: the check does not know `{other}`"),
        }
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn typed(says: &Value, value: &Value, at: &str) -> Result<(), String> {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{at}: the check does not know the type `{other}`"),
    };
    let fits = match says {
        Value::String(name) => is(name),
        names => list(names).iter().filter_map(Value::as_str).any(is),
    };
    fits.then_some(())
        .ok_or_else(|| format!("{at}: {value} is not of type {says}"))
}

#[test]
fn a_value_that_does_not_fit_is_found() {
    use serde_json::json;
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}, "way": {"enum": ["a", "b"]},
            "list": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        "required": ["n"], "additionalProperties": false,
    });
    assert_eq!(
        check(
            &schema,
            &json!({"n": 2, "way": "a", "list": ["x", null]}),
            ""
        ),
        Ok(())
    );
    for wrong in [
        json!([]),
        json!({}),
        json!({"n": 0}),
        json!({"n": 1.5}),
        json!({"n": 1, "way": "c"}),
        json!({"n": 1, "list": [3]}),
        json!({"n": 1, "more": 1}),
    ] {
        assert!(check(&schema, &wrong, "").is_err(), "{wrong}");
    }
}
