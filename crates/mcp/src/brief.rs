//! Long lists of tools in fewer words: each word costs every model that reads the list.
//!
//! What is left out is said elsewhere: the server's instructions know `timeout_ms`, a value that is
//! not allowed is refused with those that are, and `szk <operation> --help` has every word.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

/// Bytes of JSON above which a list is cut short.
const LONG: usize = 20_000;

/// Cuts the words of a list that is too long; others stay as they are.
pub(crate) fn brief(mut tools: Vec<Tool>) -> Vec<Tool> {
    let long = serde_json::to_string(&tools).is_ok_and(|text| text.len() >= LONG);
    if long {
        tools.iter_mut().for_each(cut);
    }
    tools
}

fn cut(tool: &mut Tool) {
    tool.title = None;
    if let Some(text) = &mut tool.description {
        let end = text.find(". ").map_or(text.len(), |dot| dot + 1);
        text.to_mut().truncate(end);
    }
    let input: &mut JsonObject = Arc::make_mut(&mut tool.input_schema);
    let Some(Value::Object(fields)) = input.get_mut("properties") else {
        return;
    };
    fields.remove("timeout_ms");
    for field in fields.values_mut() {
        let Value::Object(field) = field else {
            continue;
        };
        if field.contains_key("enum") {
            field.remove("description");
        } else if let Some(Value::String(text)) = field.get_mut("description") {
            text.truncate(clause(text));
        }
    }
}

/// Where the first clause ends. `wait: part of the address` is one: its first word says when.
fn clause(text: &str) -> usize {
    [". ", "; ", " (", ", "]
        .iter()
        .filter_map(|end| text.find(end))
        .min()
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_ends_where_the_next_begins() {
        let first = |text: &str| text[..clause(text)].to_owned();
        assert_eq!(first("Page to open; default: blank"), "Page to open");
        assert_eq!(
            first("wait: part of the address, or pattern"),
            "wait: part of the address"
        );
        assert_eq!(first("Levels to go down"), "Levels to go down");
    }
}
