//! The fields of an input as data, for front ends that take them one by one.

use std::fmt;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde_json::Value;

/// A field of an operation's input.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in JSON.
    pub name: String,
    /// Its doc comment.
    pub about: String,
    /// Whether the operation needs it.
    pub required: bool,
    /// What it takes.
    pub kind: Kind,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number in this range.
    Integer(RangeInclusive<i64>),
    /// Any number.
    Number,
    /// A string.
    Text,
    /// One of these words.
    Choice(Vec<Word>),
    /// A list.
    List(Box<Kind>),
    /// Names with a value each.
    Map(Box<Kind>),
    /// Any JSON, or an object of its own.
    Json,
}

impl fmt::Display for Kind {
    /// What it takes, for a sentence: `true or false`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("true or false"),
            Self::Integer(range) => match (*range.start(), *range.end()) {
                (i64::MIN, i64::MAX) => f.write_str("a whole number"),
                (least, i64::MAX) => write!(f, "a whole number from {least}"),
                (least, most) => write!(f, "a whole number from {least} to {most}"),
            },
            Self::Number => f.write_str("a number"),
            Self::Text => f.write_str("a string"),
            Self::Choice(words) => {
                let words: Vec<String> = words
                    .iter()
                    .map(|word| format!("`{}`", word.name))
                    .collect();
                write!(f, "one of {}", words.join(", "))
            }
            Self::List(kind) => write!(f, "a list, each {kind}"),
            Self::Map(kind) => write!(f, "an object, each value {kind}"),
            Self::Json => f.write_str("what the schema says"),
        }
    }
}

/// A word to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub name: String,
    /// Its doc comment, if it has one.
    pub about: Option<String>,
}

/// The fields of `T`, in the order of their declaration.
pub(crate) fn of<T: JsonSchema>() -> Vec<Field> {
    let schema = crate::schema::documented::<T>();
    let required = |name: &str| {
        let list = schema["required"].as_array();
        list.is_some_and(|list| list.iter().any(|field| field == name))
    };
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| Field {
            name: name.clone(),
            about: field["description"].as_str().unwrap_or_default().to_owned(),
            required: required(name),
            kind: kind(field),
        })
        .collect()
}

fn kind(schema: &Value) -> Kind {
    if let Some(words) = words(schema) {
        return Kind::Choice(words);
    }
    match schema["type"].as_str() {
        Some("boolean") => Kind::Flag,
        Some("integer") => Kind::Integer(range(schema)),
        Some("number") => Kind::Number,
        Some("string") => Kind::Text,
        Some("array") => Kind::List(Box::new(kind(&schema["items"]))),
        Some("object") if schema.get("properties").is_none() => {
            Kind::Map(Box::new(kind(&schema["additionalProperties"])))
        }
        _ => Kind::Json,
    }
}

/// The words of an enumeration, documented or not.
fn words(schema: &Value) -> Option<Vec<Word>> {
    if let Some(values) = schema["enum"].as_array() {
        return Some(values.iter().map(|value| word(value, None)).collect());
    }
    let mut words = Vec::new();
    for option in schema["oneOf"].as_array()? {
        match option.get("const") {
            Some(value) => words.push(word(value, option["description"].as_str())),
            None => words.extend(self::words(option)?),
        }
    }
    Some(words)
}

fn word(value: &Value, about: Option<&str>) -> Word {
    Word {
        name: value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned),
        about: about.map(str::to_owned),
    }
}

/// What the schema allows, and its number type.
fn range(schema: &Value) -> RangeInclusive<i64> {
    let (least, most) = match schema["format"].as_str() {
        Some("uint8") => (0, u8::MAX.into()),
        Some("uint16") => (0, u16::MAX.into()),
        Some("uint32") => (0, u32::MAX.into()),
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some(unsigned) if unsigned.starts_with('u') => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    };
    let least = schema["minimum"].as_i64().unwrap_or(least);
    let most = schema["maximum"].as_i64().unwrap_or(most);
    least..=most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, specs};

    #[track_caller]
    fn field(operation: &str, name: &str) -> Field {
        let fields = (find(operation).unwrap().fields)();
        let found = fields.into_iter().find(|field| field.name == name);
        found.unwrap_or_else(|| panic!("`{operation}` has no `{name}`"))
    }

    #[track_caller]
    fn check(operation: &str, name: &str, kind: Kind) {
        assert_eq!(field(operation, name).kind, kind);
    }

    #[test]
    fn types_become_kinds() {
        check("browser_snapshot", "diff", Kind::Flag);
        check(
            "browser_snapshot",
            "depth",
            Kind::Integer(0..=4_294_967_295),
        );
        check("browser_screenshot", "quality", Kind::Integer(0..=100));
        check(
            "session_delete",
            "unused_days",
            Kind::Integer(1..=4_294_967_295),
        );
        check(
            "browser_act",
            "dy",
            Kind::Integer(-2_147_483_648..=2_147_483_647),
        );
        check("browser_pdf", "scale", Kind::Number);
        check("browser_pdf", "path", Kind::Text);
        check("workflow_login", "password", Kind::Text);
        check("browser_act", "paths", Kind::List(Box::new(Kind::Text)));
        check("browser_batch", "steps", Kind::List(Box::new(Kind::Json)));
        check(
            "browser_emulate",
            "headers",
            Kind::Map(Box::new(Kind::Text)),
        );
        check(
            "browser_run_test",
            "params",
            Kind::Map(Box::new(Kind::Json)),
        );
        check("browser_extract", "schema", Kind::Json);
    }

    #[test]
    fn words_come_with_what_they_mean() {
        let words = |operation, name| match field(operation, name).kind {
            Kind::Choice(words) => words,
            other => panic!("{other:?}"),
        };
        let kinds = words("browser_act", "kind");
        assert_eq!(kinds.len(), 17);
        assert_eq!(kinds[0].name, "click");
        assert!(kinds.iter().all(|kind| kind.about.is_some()));
        let headless = words("session_open", "headless");
        let names: Vec<&str> = headless.iter().map(|word| &*word.name).collect();
        assert_eq!(names, ["auto", "true", "false"]);
    }

    #[test]
    fn fields_are_those_of_the_schema() {
        for spec in specs() {
            let schema = (spec.input)();
            let names = schema["properties"].as_object().unwrap().keys();
            let fields = (spec.fields)();
            assert!(
                fields.iter().map(|field| &field.name).eq(names),
                "{}",
                spec.name
            );
        }
        assert!(field("browser_run_code", "code").required);
        assert!(!field("browser_run_code", "world").required);
    }
}
