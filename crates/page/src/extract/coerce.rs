//! Converts values from the page to the types of a schema; what does not fit becomes `null`, with a
//! note.

use serde_json::{Map, Number, Value};

use super::schema::{Field, Kind, Schema};

/// Converts all records, and reports what is missing.
pub(super) fn all(schema: &Schema, found: Vec<Map<String, Value>>) -> (Vec<Value>, Vec<String>) {
    let count = found.len();
    let mut tally = Tally::default();
    let records = found
        .into_iter()
        .map(|record| object(&schema.fields, record, "", &mut tally))
        .collect();
    (records, tally.notes(count))
}

/// What was missing or wrong, by field, in order of appearance.
#[derive(Default)]
struct Tally(Vec<(String, usize, usize, String)>);

impl Tally {
    fn of(&mut self, path: &str) -> &mut (String, usize, usize, String) {
        let at = self
            .0
            .iter()
            .position(|entry| entry.0 == path)
            .unwrap_or_else(|| {
                self.0.push((path.to_owned(), 0, 0, String::new()));
                self.0.len() - 1
            });
        &mut self.0[at]
    }

    fn notes(self, count: usize) -> Vec<String> {
        let mut notes = Vec::new();
        for (path, missing, wrong, example) in self.0 {
            if missing > 0 {
                notes.push(format!("`{path}` is missing in {missing} of {count}"));
            }
            if wrong > 0 {
                let example = szk_text::quoted(&example, 40);
                notes.push(format!(
                    "`{path}` has the wrong type in {wrong} of {count}: {example}"
                ));
            }
        }
        notes
    }
}

fn object(fields: &[Field], mut found: Map<String, Value>, path: &str, tally: &mut Tally) -> Value {
    let values = fields.iter().map(|field| {
        let path = if path.is_empty() {
            field.name.clone()
        } else {
            format!("{path}.{}", field.name)
        };
        let raw = found.remove(&field.name).unwrap_or_default();
        (field.name.clone(), value(field, raw, &path, tally))
    });
    Value::Object(values.collect())
}

fn value(field: &Field, raw: Value, path: &str, tally: &mut Tally) -> Value {
    if let (Kind::Object(fields), Value::Object(found)) = (&field.kind, &raw) {
        return object(fields, found.clone(), path, tally);
    }
    let empty = match &raw {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    };
    if empty {
        tally.of(path).1 += 1;
        return Value::Null;
    }
    let fitted = fit(&field.kind, &raw).and_then(|value| allowed(field, value));
    fitted.unwrap_or_else(|| {
        let entry = tally.of(path);
        entry.2 += 1;
        entry.3 = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        Value::Null
    })
}

fn fit(kind: &Kind, raw: &Value) -> Option<Value> {
    if let Kind::Many(inner) = kind {
        let values = match raw {
            Value::Array(values) => values.clone(),
            one => vec![one.clone()],
        };
        return Some(
            values
                .iter()
                .filter_map(|value| fit(inner, value))
                .collect(),
        );
    }
    let text = raw.as_str()?.trim();
    match kind {
        Kind::String => Some(text.into()),
        Kind::Number => Number::from_f64(number(text)?).map(Value::Number),
        Kind::Integer => {
            let number = number(text)?;
            (number.fract() == 0.0 && number.abs() < 9e15).then(|| Value::from(number as i64))
        }
        Kind::Boolean => boolean(text).map(Value::Bool),
        Kind::Many(_) | Kind::Object(_) => None,
    }
}

/// One of the values that a schema allows, ignoring case.
fn allowed(field: &Field, value: Value) -> Option<Value> {
    if field.allowed.is_empty() {
        return Some(value);
    }
    let same = |allowed: &&Value| match (allowed.as_str(), value.as_str()) {
        (Some(a), Some(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => **allowed == value,
    };
    field.allowed.iter().find(same).cloned()
}

/// The first number in a text, in the formats people use: `€ 1,234.50`, `1.234,50`, `1 234`, `-3 %`.
fn number(text: &str) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let negative = text[..start].trim_end().ends_with(['-', '−']);
    let mut digits = String::new();
    let mut chars = text[start..].chars().peekable();
    while let Some(c) = chars.next() {
        let grouping = matches!(c, ',' | '.' | ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
        let next = chars.peek().is_some_and(char::is_ascii_digit);
        match c {
            _ if c.is_ascii_digit() => digits.push(c),
            ',' | '.' if next => digits.push(c),
            _ if grouping && next && three(&mut chars.clone()) => {}
            _ => break,
        }
    }
    let value: f64 = plain(&digits).parse().ok()?;
    Some(if negative { -value } else { value })
}

/// Whether exactly three digits follow, as in a group of thousands.
fn three(chars: &mut dyn Iterator<Item = char>) -> bool {
    chars.take_while(char::is_ascii_digit).count() == 3
}

/// Digits with a decimal point, from digits with commas and points.
fn plain(digits: &str) -> String {
    let last = digits.rfind([',', '.']);
    let Some(last) = last else {
        return digits.to_owned();
    };
    let mark = digits.as_bytes()[last] as char;
    let marks = digits.matches(mark).count();
    let both = digits.contains(',') && digits.contains('.');
    // A single kind of mark before three digits groups thousands if it is a comma or occurs twice.
    let groups = !both && (marks > 1 || (mark == ',' && digits.len() - last == 4 && last <= 3));
    let keep = |(at, c): (usize, char)| match c {
        ',' | '.' if at == last && !groups => Some('.'),
        ',' | '.' => None,
        digit => Some(digit),
    };
    digits.char_indices().filter_map(keep).collect()
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "y" | "on" | "1" | "✓" | "✔" | "✅" | "checked" | "available"
        | "in stock" => Some(true),
        "false" | "no" | "n" | "off" | "0" | "✗" | "✘" | "❌" | "-" | "–" | "unavailable"
        | "out of stock" | "sold out" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let check =
            |text: &str, expected: Option<f64>| assert_eq!(number(text), expected, "{text}");
        check("42", Some(42.0));
        check("€ 1,234.50", Some(1234.5));
        check("1.234,50 €", Some(1234.5));
        check("1 234 zł", Some(1234.0));
        check("1,234", Some(1234.0));
        check("3,5", Some(3.5));
        check("0.125", Some(0.125));
        check("1.234.567", Some(1_234_567.0));
        check("-3 %", Some(-3.0));
        check("4 of 5 stars", Some(4.0));
        check("12 345 678", Some(12_345_678.0));
        check("CHF 1'200.00", Some(1200.0));
        check("free", None);
    }

    #[test]
    fn what_is_missing_or_wrong_is_null_with_a_note() {
        let schema = json!({"type": "array", "items": {"properties": {
            "name": {"type": "string"}, "price": {"type": "number"}, "stock": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}}, "size": {"enum": ["S", "M"]}, "count": {"type": "integer"},
        }}});
        let schema = Schema::read(&schema).unwrap();
        let found = |value: Value| value.as_object().unwrap().clone();
        let (records, notes) = all(
            &schema,
            vec![
                found(
                    json!({"name": " A ", "price": "€ 5", "stock": "In stock", "tags": ["x", "y"], "size": "m", "count": "3"}),
                ),
                found(
                    json!({"name": "B", "price": "ask", "stock": null, "tags": [], "size": "XL", "count": "3.5"}),
                ),
            ],
        );
        assert_eq!(
            records[0],
            json!({"name": "A", "price": 5.0, "stock": true, "tags": ["x", "y"], "size": "M", "count": 3})
        );
        assert_eq!(
            records[1],
            json!({"name": "B", "price": null, "stock": null, "tags": null, "size": null, "count": null})
        );
        assert_eq!(
            notes,
            [
                "`price` has the wrong type in 1 of 2: \"ask\"",
                "`stock` is missing in 1 of 2",
                "`tags` is missing in 1 of 2",
                "`size` has the wrong type in 1 of 2: \"XL\"",
                "`count` has the wrong type in 1 of 2: \"3.5\"",
            ]
        );
    }
}
