//! Anthropic messages: how a conversation is written, and how an answer is read, streamed or whole.

use serde_json::{Map, Value, json};

use super::{Answer, Ask, Message, ModelError, Role, ToolCall, Usage};
use crate::repair;

/// The version of the API that this file speaks.
pub(super) const VERSION: &str = "2023-06-01";
/// Tokens that one answer may have: the API wants a number.
const LONGEST: u64 = 8192;
/// The tool whose input is the answer, where the answer has to fit a schema.
const ANSWER: &str = "answer";

/// The request for an answer.
pub(super) fn request(model: &str, ask: &Ask<'_>) -> Value {
    let system = ask
        .messages
        .iter()
        .filter(|one| one.role == Role::System)
        .map(|one| json!({ "type": "text", "text": one.text, "cache_control": { "type": "ephemeral" } }));
    let mut body = json!({
        "model": model,
        "max_tokens": LONGEST,
        "stream": true,
        "system": system.collect::<Vec<_>>(),
        "messages": messages(ask.messages),
    });
    let mut tools: Vec<Value> = ask
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters }))
        .collect();
    if let Some(schema) = ask.schema {
        tools.push(
            json!({ "name": ANSWER, "description": "Give the answer.", "input_schema": schema }),
        );
        body["tool_choice"] = json!({ "type": "tool", "name": ANSWER });
    }
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    body
}

fn messages(all: &[Message]) -> Vec<Value> {
    let mut written: Vec<Value> = Vec::new();
    // The API wants ids that are never used twice; those of our messages may be. Outcomes come in the order of
    // their calls.
    let (mut calls, mut outcomes) = (0, 0);
    for message in all.iter().filter(|one| one.role != Role::System) {
        let (role, mut blocks) = match message.role {
            Role::Tool => {
                let content = content(message);
                outcomes += 1;
                let id = format!("call_{outcomes}");
                let result =
                    json!({ "type": "tool_result", "tool_use_id": id, "content": content });
                ("user", vec![result])
            }
            Role::Assistant => ("assistant", content(message)),
            Role::User | Role::System => ("user", content(message)),
        };
        for call in &message.calls {
            calls += 1;
            let input = repair::json(&call.arguments).map(|read| read.value);
            let input = input.filter(Value::is_object).unwrap_or_else(|| json!({}));
            let id = format!("call_{calls}");
            blocks.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": input }));
        }
        if blocks.is_empty() {
            blocks.push(json!({ "type": "text", "text": "(nothing)" }));
        }
        match written.last_mut() {
            // Turns take turns.
            Some(last) if last["role"] == role => {
                if let Some(before) = last["content"].as_array_mut() {
                    before.append(&mut blocks);
                }
            }
            _ => written.push(json!({ "role": role, "content": blocks })),
        }
    }
    let last = written
        .last_mut()
        .and_then(|one| one["content"].as_array_mut());
    if let Some(block) = last.and_then(|blocks| blocks.last_mut()) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    written
}

/// Text and pictures; the API refuses empty text.
fn content(message: &Message) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !message.text.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": message.text }));
    }
    blocks.extend(message.images.iter().map(|image| {
        let source = json!({ "type": "base64", "media_type": image.mime, "data": image.base64 });
        json!({ "type": "image", "source": source })
    }));
    blocks
}

/// Reads a whole answer.
pub(super) fn answer(body: &[u8]) -> Result<Answer, ModelError> {
    let read: Value =
        serde_json::from_slice(body).map_err(|error| ModelError::Unreadable(error.to_string()))?;
    let Some(content) = read["content"].as_array() else {
        return Err(ModelError::Unreadable("it has no content".to_owned()));
    };
    let mut streamed = Streamed::default();
    streamed.usage(&read["usage"]);
    for block in content {
        streamed.begin(block);
    }
    Ok(streamed.answer())
}

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    blocks: Vec<Block>,
    usage: Usage,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        input: String,
    },
    /// Thoughts, and what newer versions add.
    Other,
}

impl Streamed {
    /// Takes the data of an event; returns whether the answer is whole.
    pub(super) fn take(&mut self, data: &str) -> Result<bool, ModelError> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::Unreadable(error.to_string()))?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.usage(&event["message"]["usage"]),
            "message_delta" => self.usage(&event["usage"]),
            "content_block_start" => self.begin(&event["content_block"]),
            "content_block_delta" => self.more(&event["delta"]),
            "message_stop" => return Ok(true),
            "error" => return Err(failed(&event["error"])),
            _ => {}
        }
        Ok(false)
    }

    /// What has come.
    pub(super) fn answer(self) -> Answer {
        let mut answer = Answer {
            usage: self.usage,
            ..Answer::default()
        };
        for block in self.blocks {
            match block {
                Block::Text(text) => answer.text.push_str(&text),
                // As text, like the answer of any other provider to a question with a schema.
                Block::Call { name, input, .. } if name == ANSWER => answer.text.push_str(&input),
                Block::Call { id, name, input } => answer.calls.push(ToolCall {
                    id,
                    name,
                    arguments: match input.is_empty() {
                        true => "{}".to_owned(),
                        false => input,
                    },
                    extra: None,
                }),
                Block::Other => {}
            }
        }
        answer
    }

    fn begin(&mut self, block: &Value) {
        let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
        self.blocks.push(match block["type"].as_str() {
            Some("text") => Block::Text(text("text")),
            Some("tool_use") => Block::Call {
                id: text("id"),
                name: text("name"),
                input: match &block["input"] {
                    Value::Object(input) if *input != Map::new() => block["input"].to_string(),
                    _ => String::new(),
                },
            },
            _ => Block::Other,
        });
    }

    fn more(&mut self, delta: &Value) {
        let (kind, field) = match self.blocks.last_mut() {
            Some(Block::Text(text)) => (text, "text"),
            Some(Block::Call { input, .. }) => (input, "partial_json"),
            Some(Block::Other) | None => return,
        };
        kind.push_str(delta[field].as_str().unwrap_or_default());
    }

    /// Numbers of later events replace those of earlier ones.
    fn usage(&mut self, usage: &Value) {
        let of = |field: &str| usage[field].as_u64();
        if let Some(input) = of("input_tokens") {
            let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
            let cached = cached.into_iter().filter_map(of);
            self.usage.input = cached.fold(input, u64::saturating_add);
        }
        if let Some(output) = of("output_tokens") {
            self.usage.output = output;
        }
    }
}

/// An error within a stream.
fn failed(error: &Value) -> ModelError {
    let message = szk_text::line(error["message"].as_str().unwrap_or_default(), 300);
    match error["type"].as_str().unwrap_or_default() {
        "rate_limit_error" => ModelError::Busy { after: None },
        "overloaded_error" => ModelError::Down { status: 529 },
        "api_error" | "timeout_error" => ModelError::Down { status: 500 },
        "authentication_error" | "permission_error" => ModelError::Key { status: 401 },
        _ => ModelError::Refused {
            status: 400,
            message,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "browser_act".to_owned(),
            arguments: "{kind: 'click',}".to_owned(),
            extra: None,
        }
    }

    #[test]
    fn turns_take_turns_and_ids_are_new() {
        let mut said = Message::new(Role::Assistant, "");
        said.calls.push(call("text"));
        let mut told = Message::new(Role::Tool, "done");
        told.answers = Some("text".to_owned());
        let nothing = Message::new(Role::Assistant, " ");
        let all = [
            Message::new(Role::System, "rules"),
            Message::new(Role::User, "task"),
            said.clone(),
            told.clone(),
            Message::new(Role::User, "the page now"),
            said,
            told,
            nothing,
        ];
        let ask = Ask {
            messages: &all,
            tools: &[],
            schema: None,
        };
        let body = request("m", &ask);
        assert_eq!(body["system"][0]["text"], "rules");
        let messages = body["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages
            .iter()
            .map(|one| one["role"].as_str().unwrap())
            .collect();
        assert_eq!(
            roles,
            [
                "user",
                "assistant",
                "user",
                "assistant",
                "user",
                "assistant"
            ]
        );
        let block = |message: usize, at: usize| &messages[message]["content"][at];
        assert_eq!(block(1, 0)["input"], json!({"kind": "click"}));
        for (said, told, id) in [(1, 2, "call_1"), (3, 4, "call_2")] {
            assert_eq!(block(said, 0)["id"], id);
            assert_eq!(block(told, 0)["tool_use_id"], id);
        }
        assert_eq!(block(2, 1)["text"], "the page now");
        assert_eq!(block(5, 0)["text"], "(nothing)");
    }

    #[test]
    fn an_answer_with_a_schema_is_text() {
        let body = json!({
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "tool_use", "id": "a", "name": "answer", "input": {"done": true}},
            ],
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 2},
        });
        let answer = answer(body.to_string().as_bytes()).unwrap();
        assert_eq!((&*answer.text, answer.calls.len()), ("{\"done\":true}", 0));
        assert_eq!((answer.usage.input, answer.usage.output), (7, 2));
    }

    #[test]
    fn numbers_that_no_sum_can_hold_still_count() {
        let body = json!({"content": [], "usage": {
            "input_tokens": 3, "cache_read_input_tokens": u64::MAX, "cache_creation_input_tokens": 4,
        }});
        let answer = answer(body.to_string().as_bytes()).unwrap();
        assert_eq!(answer.usage.input, u64::MAX);
    }
}
