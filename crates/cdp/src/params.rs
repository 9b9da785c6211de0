//! Parameters as JSON text.

use serde::Serialize;
use serde_json::value::RawValue;

/// JSON text of plain data that szk itself made, which always serialises.
pub fn raw(params: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(params).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
