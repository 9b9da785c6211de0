//! Calls of tools that a model wrote as text.

use serde_json::Value;

use crate::model::ToolCall;
use crate::repair;

/// A tool call that the model wrote as text.
pub(crate) fn in_text(text: &str) -> Option<ToolCall> {
    let value = repair::json(text)?.value;
    let named = ["name", "tool", "function"].iter();
    let name = named.filter_map(|field| value[*field].as_str()).next()?;
    let given = ["arguments", "parameters", "input"].iter();
    let arguments = given
        .map(|field| &value[*field])
        .find(|one| !one.is_null())?;
    Some(ToolCall {
        id: "text".to_owned(),
        name: name.to_owned(),
        arguments: match arguments {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
        extra: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_text_are_calls() {
        let call = in_text(
            "I click.\n```json\n{\"name\": \"browser_act\", \"arguments\": {\"kind\": \"click\"}}\n```",
        );
        assert_eq!(call.unwrap().arguments, "{\"kind\":\"click\"}");
        assert_eq!(in_text("All done, {name} is in."), None);
    }
}
