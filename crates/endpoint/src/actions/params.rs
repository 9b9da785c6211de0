//! The parameters of a message, all of them: also those that are given twice.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::Named;

/// One value.
#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    /// No string.
    Other(Box<RawValue>),
    /// A string that is none, such as one with half a surrogate pair.
    Unreadable,
}

/// What stands in an object, in its order.
#[derive(Debug, Default)]
pub(super) struct Params(Vec<(String, Value)>);

impl Value {
    fn of(raw: Box<RawValue>) -> Self {
        if !raw.get().starts_with('"') {
            return Self::Other(raw);
        }
        serde_json::from_str(raw.get()).map_or(Self::Unreadable, Self::Text)
    }

    /// Whether nothing is there to be run.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Other(raw) => raw.get() == "null",
            Self::Unreadable => false,
        }
    }
}

impl Params {
    pub(super) fn read(params: Option<&RawValue>) -> Self {
        let read = params.map(|params| serde_json::from_str(params.get()));
        match read {
            None => Self::default(),
            Some(Ok(params)) => params,
            // A name that cannot be read could be any.
            Some(Err(_)) => Self(
                [
                    "url",
                    "files",
                    "data",
                    "behavior",
                    "downloadPath",
                    "proxyServer",
                    "condition",
                    "source",
                ]
                .map(|name| (name.to_owned(), Value::Unreadable))
                .into(),
            ),
        }
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &Value> {
        let named = move |(known, _): &&(String, Value)| known == name;
        self.0.iter().filter(named).map(|(_, value)| value)
    }

    /// Objects of this name.
    pub(super) fn inside(&self, name: &str) -> impl Iterator<Item = Self> {
        self.all(name).map(|value| match value {
            Value::Other(raw) => serde_json::from_str(raw.get()).unwrap_or_default(),
            _ => Self(vec![("files".to_owned(), Value::Unreadable)]),
        })
    }

    /// The files that are named.
    pub(super) fn files(&self) -> std::vec::IntoIter<Value> {
        let mut files = Vec::new();
        for value in self.all("files") {
            match value {
                Value::Other(raw) => {
                    let list: Vec<Box<RawValue>> =
                        serde_json::from_str(raw.get()).unwrap_or_default();
                    files.extend(list.into_iter().map(Value::of));
                }
                Value::Text(_) | Value::Unreadable => files.push(Value::Unreadable),
            }
        }
        files.into_iter()
    }

    /// The worlds that are named.
    pub(super) fn worlds(&self) -> Vec<Named> {
        let numbers = ["contextId", "executionContextId"].into_iter();
        let numbers = numbers
            .flat_map(|name| self.all(name))
            .map(|value| match value {
                // What is no number is no world that anybody knows.
                Value::Other(raw) => Named::Context(raw.get().parse().unwrap_or(-1)),
                _ => Named::Context(-1),
            });
        let text = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            _ => String::new(),
        };
        let uniques = self.all("uniqueContextId").map(text).map(Named::Unique);
        let objects = self.all("objectId").map(text).map(Named::Object);
        numbers.chain(uniques).chain(objects).collect()
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParamsVisitor)
    }
}

struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Params;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, raw)) = map.next_entry::<String, Box<RawValue>>()? {
            fields.push((name, Value::of(raw)));
        }
        Ok(Params(fields))
    }
}
