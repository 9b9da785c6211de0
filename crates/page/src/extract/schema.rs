//! Which fields a record has, according to a JSON Schema.

use serde_json::{Map, Value, json};

/// The parts of a JSON Schema that describe a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    pub(super) fields: Vec<Field>,
    one: bool,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Only these values, if there are any.
    pub(super) allowed: Vec<Value>,
    title: String,
    format: String,
    selector: Option<String>,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    String,
    Number,
    Integer,
    Boolean,
    /// Several of a kind.
    Many(Box<Kind>),
    /// Fields of its own.
    Object(Vec<Field>),
}

/// A schema without anything to look for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

impl Schema {
    /// Reads a schema: an array of objects, an object that contains one such array, or an object.
    ///
    /// # Errors
    /// [`SchemaError`], which says what is missing.
    pub fn read(schema: &Value) -> Result<Self, SchemaError> {
        let (object, one) = match kind_word(schema) {
            "array" => (&schema["items"], false),
            _ => match only_array(schema) {
                Some(items) => (items, false),
                None => (schema, true),
            },
        };
        let fields = fields(object, 0)?;
        Ok(Self { fields, one })
    }

    /// Whether it describes one record, not many.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.one
    }

    /// The fields in the script's format.
    pub(super) fn wanted(&self) -> Vec<Value> {
        self.fields.iter().map(Field::wanted).collect()
    }
}

/// The items of the array that is an object's only field: `{products: [{…}]}`.
fn only_array(schema: &Value) -> Option<&Value> {
    let properties = schema["properties"].as_object()?;
    let mut values = properties.values();
    let (only, None) = (values.next()?, values.next()) else {
        return None;
    };
    let items = &only["items"];
    (kind_word(only) == "array" && items["properties"].is_object()).then_some(items)
}

fn fields(object: &Value, level: usize) -> Result<Vec<Field>, SchemaError> {
    let properties = object["properties"]
        .as_object()
        .filter(|fields| !fields.is_empty());
    let Some(properties) = properties else {
        return Err(SchemaError(
            "`schema` needs `properties`: an object, or an array of objects".to_owned(),
        ));
    };
    if level > 3 || properties.len() > 100 {
        return Err(SchemaError("`schema` is too deep or too wide".to_owned()));
    }
    properties
        .iter()
        .map(|(name, schema)| field(name, schema, level))
        .collect()
}

fn field(name: &str, schema: &Value, level: usize) -> Result<Field, SchemaError> {
    let text = |key: &str| schema[key].as_str().unwrap_or_default().to_owned();
    Ok(Field {
        name: name.to_owned(),
        kind: kind(schema, level)?,
        allowed: schema["enum"].as_array().cloned().unwrap_or_default(),
        title: text("title"),
        format: text("format"),
        selector: schema["selector"].as_str().map(str::to_owned),
    })
}

fn kind(schema: &Value, level: usize) -> Result<Kind, SchemaError> {
    Ok(match kind_word(schema) {
        "number" => Kind::Number,
        "integer" => Kind::Integer,
        "boolean" => Kind::Boolean,
        "array" => Kind::Many(Box::new(kind(&schema["items"], level + 1)?)),
        "object" => Kind::Object(fields(schema, level + 1)?),
        _ => Kind::String,
    })
}

/// The type; `["number", "null"]` is a number.
fn kind_word(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(word) => word,
        Value::Array(words) => words
            .iter()
            .filter_map(Value::as_str)
            .find(|word| *word != "null")
            .unwrap_or_default(),
        _ if schema["properties"].is_object() => "object",
        _ => "",
    }
}

impl Field {
    fn wanted(&self) -> Value {
        let mut wanted = Map::new();
        wanted.insert("name".into(), json!(self.name));
        wanted.insert("words".into(), json!(words(&self.name)));
        wanted.insert("other".into(), json!(words(&self.title)));
        wanted.insert("format".into(), json!(self.format));
        wanted.insert("selector".into(), json!(self.selector));
        let many = matches!(self.kind, Kind::Many(_));
        wanted.insert("many".into(), json!(many));
        if let Kind::Object(fields) = &self.kind {
            let fields: Vec<Value> = fields.iter().map(Self::wanted).collect();
            wanted.insert("fields".into(), json!(fields));
        }
        Value::Object(wanted)
    }
}

/// `unitPrice` and `unit_price` are `unit price`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_shapes() {
        let object =
            json!({"type": "object", "properties": {"unitPrice": {"type": ["number", "null"]}}});
        let one = Schema::read(&object).unwrap();
        assert!(one.is_one());
        assert_eq!(one.fields[0].kind, Kind::Number);
        assert_eq!(one.wanted()[0]["words"], json!(["unit", "price"]));
        assert!(
            !Schema::read(&json!({"type": "array", "items": object}))
                .unwrap()
                .is_one()
        );
        let wrapped = json!({"properties": {"products": {"type": "array", "items": object}}});
        assert_eq!(
            Schema::read(&wrapped).unwrap(),
            Schema::read(&json!({"type": "array", "items": object})).unwrap()
        );
    }

    #[test]
    fn what_names_no_fields_is_refused() {
        for schema in [
            json!({}),
            json!({"type": "array"}),
            json!({"type": "string"}),
            json!(5),
        ] {
            assert!(Schema::read(&schema).is_err(), "{schema}");
        }
    }
}
