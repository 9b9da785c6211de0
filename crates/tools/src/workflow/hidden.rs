//! An input value that is never printed.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Text that neither `Debug` nor an error about the input shows.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Hidden(pub String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // serde's own error would show the value.
        match Value::deserialize(from)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("it must be a string")),
        }
    }
}

impl JsonSchema for Hidden {
    fn schema_name() -> Cow<'static, str> {
        "Hidden".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_not_repeated() {
        let hidden: Hidden = serde_json::from_str("\"geheim\"").unwrap();
        assert_eq!(format!("{hidden:?}"), "Hidden");
        assert_eq!(serde_json::to_string(&hidden).unwrap(), "\"geheim\"");
        let error = serde_json::from_str::<Hidden>("4711").unwrap_err();
        assert!(!error.to_string().contains("4711"), "{error}");
    }
}
