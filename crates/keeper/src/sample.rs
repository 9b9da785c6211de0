//! Sample answers generated from an output's schema, for tests over the whole catalogue.

use serde_json::{Map, Value, json};

/// Answers that fit the schema: texts are `text`, lists have `many` entries. One for each alternative that
/// an enumeration or a union gives, so that all of them occur.
pub(crate) fn of(schema: &Value, text: &str, many: usize) -> impl Iterator<Item = Value> {
    (0..most(schema).max(1)).map(move |number| one(schema, "", text, many, number))
}

/// All texts, with the name of their field.
pub(crate) fn texts(value: &Value) -> Vec<(String, String)> {
    fn into(value: &Value, field: &str, all: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => all.push((field.to_owned(), text.clone())),
            Value::Array(items) => items.iter().for_each(|item| into(item, field, all)),
            Value::Object(map) => map.iter().for_each(|(name, value)| into(value, name, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    into(value, "", &mut all);
    all
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    ["enum", "oneOf", "anyOf"]
        .iter()
        .find_map(|name| schema.get(name).and_then(Value::as_array))
}

fn most(schema: &Value) -> usize {
    let own = alternatives(schema).map_or(0, Vec::len);
    let inner = match schema {
        Value::Object(map) => map.values().map(most).max(),
        Value::Array(items) => items.iter().map(most).max(),
        _ => None,
    };
    own.max(inner.unwrap_or_default())
}

fn one(schema: &Value, field: &str, text: &str, many: usize, number: usize) -> Value {
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let mut made = Map::new();
    if let Some(all) = alternatives(schema).filter(|all| !all.is_empty()) {
        let chosen = &all[number % all.len()];
        if schema.get("enum").is_some() {
            return chosen.clone();
        }
        match one(chosen, field, text, many, number) {
            Value::Object(fields) => made.extend(fields),
            other => return other,
        }
    }
    for part in schema
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Value::Object(fields) = one(part, field, text, many, number) {
            made.extend(fields);
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        // Times have a format of their own.
        Some("string")
            if matches!(
                field,
                "since" | "last_used" | "saved" | "first_expiry" | "last_expiry"
            ) =>
        {
            "2026-01-01T00:00:00Z".into()
        }
        Some("string") => text.into(),
        Some("integer") => 7.into(),
        Some("number") => json!(7.5),
        Some("boolean") => true.into(),
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Bool(true));
            // Nested lists are shorter, to avoid millions of entries.
            let inner = (many / 100).max(1);
            (0..many)
                .map(|at| one(items, field, text, inner, number + at))
                .collect()
        }
        Some("object") => {
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                made.insert(name.clone(), one(field, name, text, many, number));
            }
            if let Some(more) = schema
                .get("additionalProperties")
                .filter(|more| more.is_object())
            {
                made.insert("key".into(), one(more, field, text, many, number));
            }
            Value::Object(made)
        }
        _ if made.is_empty() => text.into(),
        _ => Value::Object(made),
    }
}
