//! JSON Schemas in the form clients handle best: flat, short, without references or `null` alternatives.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

/// The schema of an input: what [`crate::Call::decode`] reads, with references inlined and optional
/// fields as plain types.
pub(crate) fn of<T: JsonSchema>() -> Value {
    finish(documented::<T>())
}

/// The schema of an output: what is written. A field is required unless it is left out when empty.
pub(crate) fn written<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    drop_defaults(&mut schema);
    finish(schema)
}

fn finish(mut schema: Value) -> Value {
    slim(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.remove("title");
        // "Input of …" adds nothing to the tool's own description.
        root.remove("description");
        // Some clients refuse a tool whose input has no `properties`.
        root.entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// The same with everything the types say: number formats, and what each word of an enumeration means.
pub(crate) fn documented<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    drop_null(&mut schema);
    schema
}

/// Makes optional fields plain ones: drops `null` alternatives and default `null`.
fn drop_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            // First, so that the remains of an optional enumeration are handled like any other.
            if let Some(Value::Array(options)) = map.get_mut("anyOf") {
                options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = options.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    for (key, value) in only {
                        map.entry(key).or_insert(value);
                    }
                }
            }
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            map.values_mut().for_each(drop_null);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null),
        _ => {}
    }
}

/// Drops the defaults of fields: they say how an absent field is read, not what is written.
fn drop_defaults(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            for (word, inner) in map.iter_mut() {
                // Below `properties` the words are names of fields.
                if let ("properties", Value::Object(fields)) = (word.as_str(), &mut *inner) {
                    for field in fields.values_mut() {
                        if let Value::Object(field) = field {
                            field.remove("default");
                        }
                        drop_defaults(field);
                    }
                } else {
                    drop_defaults(inner);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(drop_defaults),
        _ => {}
    }
}

/// Drops what repeats the type system: number formats, and the meanings of words.
fn slim(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(options)) = map.get("oneOf") {
                let names: Option<Vec<Value>> = options
                    .iter()
                    .map(|option| option.get("const").cloned())
                    .collect();
                if let Some(names) = names {
                    map.remove("oneOf");
                    map.insert("enum".into(), Value::Array(names));
                }
            }
            if map
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| format.contains("int") || format == "double")
            {
                map.remove("format");
            }
            // Every unsigned number has it.
            if map.get("minimum").and_then(Value::as_u64) == Some(0) {
                map.remove("minimum");
            }
            map.values_mut().for_each(slim);
        }
        Value::Array(items) => items.iter_mut().for_each(slim),
        _ => {}
    }
}
