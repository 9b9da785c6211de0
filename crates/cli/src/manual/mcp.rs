//! The operations reference.

use serde_json::Value;
use szk_tools::{Code, Reach, Scope, Spec};

use super::{GENERATED, cell};

/// Every operation with its inputs and outputs, and the format of failures.
#[must_use]
pub fn mcp() -> String {
    let mut page = format!(
        "{GENERATED}# MCP tools\n\n\
         `szk mcp` serves these on stdin and stdout; `szk` has each of them as a command. \
         An input marked * is required. An unknown input is an error that names the nearest one.\n"
    );
    for spec in szk_tools::specs() {
        page.push_str(&operation(spec));
    }
    page.push_str(&failures());
    page
}

fn operation(spec: &Spec) -> String {
    let reach = match spec.reach {
        Reach::Read => "only looks",
        Reach::Write => "changes a page or a session",
        Reach::Destroy => "may destroy what cannot be brought back",
    };
    let scope = match spec.scope {
        Scope::Store => "no session need be open",
        Scope::Opens => "opens the session if need be",
        Scope::Session => "the session must be open",
    };
    let mut text = format!(
        "\n## `{}`\n\n{} It {reach}; {scope}.\n",
        spec.name, spec.summary
    );
    text.push_str(&table("Input", &(spec.input)()));
    text.push_str(&table("Output", &(spec.output)()));
    text
}

fn table(head: &str, schema: &Value) -> String {
    let Some(fields) = schema["properties"].as_object().filter(|f| !f.is_empty()) else {
        return String::new();
    };
    let required = |name: &str| {
        let list = schema["required"].as_array();
        list.is_some_and(|list| list.iter().any(|field| field == name))
    };
    let mut text = format!("\n| {head} | Type | Meaning |\n|---|---|---|\n");
    for (name, field) in fields {
        let mark = if head == "Input" && required(name) {
            " *"
        } else {
            ""
        };
        let meaning = field["description"].as_str().unwrap_or_default();
        text.push_str(&format!(
            "| `{name}`{mark} | {} | {} |\n",
            cell(&kind(field)),
            cell(meaning)
        ));
    }
    text
}

/// The type in a word or two.
fn kind(field: &Value) -> String {
    if let Some(values) = field["enum"].as_array() {
        let words: Vec<String> = values
            .iter()
            .map(|value| match value.as_str() {
                Some(word) => format!("`{word}`"),
                None => format!("`{value}`"),
            })
            .collect();
        return words.join(", ");
    }
    if let Some(value) = field.get("const") {
        return format!("`{}`", value.as_str().unwrap_or_default());
    }
    let options = field["anyOf"].as_array().or(field["oneOf"].as_array());
    if let Some(options) = options {
        let words: Vec<String> = options.iter().map(kind).collect();
        return words.join(" or ");
    }
    match &field["type"] {
        Value::String(word) if word == "array" => match kind(&field["items"]).as_str() {
            "" => "array".to_owned(),
            of => format!("array of {of}"),
        },
        Value::String(word) => word.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

fn failures() -> String {
    let mut text = String::from(
        "\n## Failures\n\n\
         A failure is `{code, message, hint, retryable, effect}`: `hint` names the next step, `retryable` says whether \
         the same call may succeed later, `effect` (`none`, `done`, `unknown`) what was done before it failed. `fields` names the \
         fields of the input that the message speaks of, and `step` the step of a batch.\n\n\
         | Code | Exit code of `szk` |\n|---|---|\n",
    );
    for code in Code::ALL {
        text.push_str(&format!("| `{}` | {} |\n", code.name(), code.exit_code()));
    }
    text
}
