//! Chat completions: how a conversation is written, and how an answer is read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Ask, Message, ModelError, Role, ToolCall, Usage};

/// The request for an answer.
pub(super) fn request(model: &str, ask: &Ask<'_>) -> Value {
    let messages: Vec<Value> = ask.messages.iter().map(message).collect();
    let mut body = json!({ "model": model, "messages": messages });
    if !ask.tools.is_empty() {
        let tools = ask.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                }
            })
        });
        body["tools"] = tools.collect();
    }
    if let Some(schema) = ask.schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "schema": schema },
        });
    }
    body
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut written = json!({ "role": role, "content": content(message) });
    if let Some(id) = &message.answers {
        written["tool_call_id"] = id.as_str().into();
    }
    if !message.calls.is_empty() {
        let calls = message.calls.iter().map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments },
            })
        });
        written["tool_calls"] = calls.collect();
    }
    written
}

fn content(message: &Message) -> Value {
    if message.images.is_empty() {
        return message.text.as_str().into();
    }
    let mut parts = vec![json!({ "type": "text", "text": message.text })];
    parts.extend(message.images.iter().map(|image| {
        let url = format!("data:{};base64,{}", image.mime, image.base64);
        json!({ "type": "image_url", "image_url": { "url": url } })
    }));
    parts.into()
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    tool_calls: Option<Vec<Called>>,
}

#[derive(Deserialize)]
struct Called {
    #[serde(default)]
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// Text by the book; some servers write the object itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// Reads the body of an answer.
pub(super) fn answer(body: &[u8]) -> Result<Answer, ModelError> {
    let read: Completion =
        serde_json::from_slice(body).map_err(|error| ModelError::Unreadable(error.to_string()))?;
    let usage = read.usage.map_or_else(Usage::default, |tokens| Usage {
        input: tokens.prompt_tokens,
        output: tokens.completion_tokens,
    });
    let first = read.choices.into_iter().next();
    let said = first
        .ok_or_else(|| ModelError::Unreadable("it has no choices".to_owned()))?
        .message;
    let calls = said.tool_calls.unwrap_or_default();
    let calls = calls
        .into_iter()
        .enumerate()
        .map(|(number, call)| ToolCall {
            id: call
                .id
                .filter(|id| !id.is_empty())
                .unwrap_or_else(|| format!("call-{number}")),
            name: call.function.name,
            arguments: match call.function.arguments {
                Value::String(text) => text,
                Value::Null => "{}".to_owned(),
                other => other.to_string(),
            },
        });
    Ok(Answer {
        text: text(said.content),
        calls: calls.collect(),
        usage,
    })
}

/// Text, or the texts of a list of parts.
fn text(content: Option<Value>) -> String {
    match content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What the provider says about an error.
pub(super) fn error_text(body: &[u8]) -> String {
    let read: Value = serde_json::from_slice(body).unwrap_or_default();
    let said = [&read["error"]["message"], &read["message"], &read["error"]];
    let said = said.into_iter().find_map(Value::as_str);
    szk_text::line(said.unwrap_or("no reason given"), 300)
}
