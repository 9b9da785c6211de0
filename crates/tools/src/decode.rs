//! Decodes JSON into an operation's input, with errors an agent can act on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::{Failure, Operation, catalogue};

/// Reads `input` as the input of `O`; absent or `null` counts as `{}`.
///
/// # Errors
/// `INVALID_INPUT` for unknown fields (with the nearest name) or wrong types (with their place).
pub fn input<O: Operation>(input: Value) -> Result<O::Input, Failure> {
    let input = if input.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        input
    };
    if !input.is_object() {
        return Err(
            Failure::invalid(format!("the input of `{}` must be an object", O::NAME))
                .hint(fields_hint::<O>()),
        );
    }
    let unknown = unknown_fields::<O>(&input);
    if !unknown.is_empty() {
        return Err(unknown_failure::<O>(&unknown));
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." {
            String::new()
        } else {
            format!(" at `{path}`")
        };
        Failure::invalid(format!(
            "wrong input for `{}`{place}: {}",
            O::NAME,
            error.into_inner()
        ))
        .hint(value_hint::<O>(&path))
    })
}

/// What the field at the beginning of a path takes; the fields, if the path names none.
fn value_hint<O: Operation>(path: &str) -> String {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let fields = crate::field::of::<O::Input>();
    match fields.iter().find(|field| field.name == path[..end]) {
        Some(field) => format!("`{}` takes {}", field.name, field.kind),
        None => fields_hint::<O>(),
    }
}

/// The failure for a name that no operation has.
pub(crate) fn unknown_operation(name: &str) -> Failure {
    let failure = Failure::invalid(format!("there is no operation `{}`", shorten(name)));
    let names = catalogue::specs().iter().map(|spec| spec.name);
    match nearest(name, names) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("list the operations with `tools/list` or `szk --help`"),
    }
}

fn unknown_fields<O: Operation>(input: &Value) -> Vec<String> {
    let known = fields::<O>();
    let Value::Object(given) = input else {
        return Vec::new();
    };
    given
        .keys()
        .filter(|key| {
            !known.iter().any(|name| name == *key) && !O::UNLISTED.contains(&key.as_str())
        })
        .cloned()
        .collect()
}

fn unknown_failure<O: Operation>(unknown: &[String]) -> Failure {
    let known = fields::<O>();
    let named: Vec<String> = unknown
        .iter()
        .map(|key| match nearest(key, known.iter().map(String::as_str)) {
            Some(near) => format!("`{}` (did you mean `{near}`?)", shorten(key)),
            None => format!("`{}`", shorten(key)),
        })
        .collect();
    let noun = if unknown.len() == 1 {
        "field"
    } else {
        "fields"
    };
    Failure::invalid(format!("`{}` has no {noun} {}", O::NAME, named.join(", ")))
        .hint(fields_hint::<O>())
}

/// The field names of an input, computed once per operation: making a schema costs more than the rest of
/// a call.
fn fields<O: Operation>() -> Arc<[String]> {
    static KNOWN: Mutex<BTreeMap<&str, Arc<[String]>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let made = known.entry(O::NAME).or_insert_with(|| {
        let schema = crate::schema::of::<O::Input>();
        let properties = schema["properties"].as_object();
        properties
            .map(|map| map.keys().cloned().collect())
            .unwrap_or_default()
    });
    Arc::clone(made)
}

fn fields_hint<O: Operation>() -> String {
    format!("`{}` takes: {}", O::NAME, fields::<O>().join(", "))
}

/// The known name closest to `given`, if it is close enough to be a typo.
fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (strsim::jaro_winkler(&given.to_lowercase(), name), name))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Shortens a caller's literal, however long, to fit in a message.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    let head: String = text.chars().take(57).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::browser::{Act, Arm, Screenshot, Snapshot};

    fn hint<O: Operation<Input: std::fmt::Debug>>(given: Value) -> String {
        let failure = input::<O>(given).unwrap_err();
        failure.hint.expect("it has a hint")
    }

    #[test]
    fn a_wrong_value_is_answered_with_what_its_field_takes() {
        let wrong = json!({"quality": 500});
        assert_eq!(
            hint::<Screenshot>(wrong),
            "`quality` takes a whole number from 0 to 100"
        );
        let wrong = json!({"kind": "click", "button": true});
        assert_eq!(
            hint::<Act>(wrong),
            "`button` takes one of `left`, `middle`, `right`"
        );
        let wrong = json!({"kind": "click", "modifiers": ["Shift", 5]});
        assert_eq!(
            hint::<Act>(wrong),
            "`modifiers` takes a list, each a string"
        );
        let missing = json!({"text": "a"});
        assert!(hint::<Arm>(missing).starts_with("`browser_arm` takes: "));
        let unknown = json!({"selektor": "a"});
        assert!(hint::<Snapshot>(unknown).starts_with("`browser_snapshot` takes: "));
    }
}
