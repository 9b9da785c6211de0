//! What a schema says, for languages to write down. Our schemas use few words of JSON Schema: a test
//! holds them to it.

use serde_json::{Map, Value};

/// The type of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    /// Any JSON.
    Any,
    Text,
    Integer,
    Number,
    Flag,
    /// One of these words.
    Words(Vec<String>),
    List(Box<Type>),
    /// Any names, each with such a value.
    Map(Box<Type>),
    Object(Vec<Property>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) required: bool,
    pub(crate) of: Type,
}

impl Type {
    pub(crate) fn read(schema: &Value) -> Self {
        if let Some(Value::Array(words)) = schema.get("enum") {
            let words = words.iter().filter_map(Value::as_str);
            return Self::Words(words.map(str::to_owned).collect());
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => Self::Text,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Flag,
            Some("array") => {
                Self::List(Box::new(schema.get("items").map_or(Self::Any, Self::read)))
            }
            Some("object") => {
                match (schema.get("properties"), schema.get("additionalProperties")) {
                    (Some(Value::Object(properties)), _) if !properties.is_empty() => {
                        Self::Object(fields(properties, schema))
                    }
                    (_, Some(each)) => Self::Map(Box::new(Self::read(each))),
                    _ => Self::Map(Box::new(Self::Any)),
                }
            }
            _ => Self::Any,
        }
    }

    /// The fields of an object; none of anything else.
    pub(crate) fn properties(&self) -> &[Property] {
        match self {
            Self::Object(properties) => properties,
            _ => &[],
        }
    }
}

fn fields(properties: &Map<String, Value>, schema: &Value) -> Vec<Property> {
    let required = schema.get("required").and_then(Value::as_array);
    let field = |(name, schema): (&String, &Value)| Property {
        name: name.clone(),
        about: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        required: required.is_some_and(|names| names.iter().any(|one| one == name.as_str())),
        of: Type::read(schema),
    };
    properties.iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_read() {
        let read = |schema: Value| Type::read(&schema);
        assert_eq!(read(json!({"type": "string"})), Type::Text);
        assert_eq!(
            read(json!({"enum": ["a", "b"]})),
            Type::Words(vec!["a".into(), "b".into()])
        );
        assert_eq!(
            read(json!({"type": "array", "items": true})),
            Type::List(Box::new(Type::Any))
        );
        assert_eq!(
            read(json!({"type": "object", "additionalProperties": {"type": "integer"}})),
            Type::Map(Box::new(Type::Integer))
        );
        let object = read(json!({
            "type": "object",
            "properties": {"a": {"type": "boolean", "description": "A."}, "b": {}},
            "required": ["a"],
        }));
        let [a, b] = object.properties() else {
            panic!("{object:?}");
        };
        assert_eq!(
            (a.required, a.about.as_str(), &a.of),
            (true, "A.", &Type::Flag)
        );
        assert_eq!((b.required, &b.of), (false, &Type::Any));
    }

    /// Whoever uses another word of JSON Schema in an operation teaches it to this module.
    #[test]
    fn no_operation_says_what_is_not_read() {
        const KNOWN: &[&str] = &[
            "type",
            "properties",
            "required",
            "items",
            "enum",
            "additionalProperties",
            "description",
            "default",
            "minimum",
            "maximum",
            "title",
        ];
        fn check(schema: &Value, at: &str) {
            let Value::Object(words) = schema else {
                return;
            };
            for (word, value) in words {
                assert!(KNOWN.contains(&word.as_str()), "`{word}` at {at}");
                match (word.as_str(), value) {
                    ("properties", Value::Object(fields)) => {
                        for (name, field) in fields {
                            check(field, &format!("{at}.{name}"));
                        }
                    }
                    ("items" | "additionalProperties", each) => check(each, &format!("{at}[]")),
                    _ => {}
                }
            }
        }
        for spec in szk_tools::specs() {
            check(&(spec.input)(), spec.name);
            check(&(spec.output)(), spec.name);
        }
    }
}
