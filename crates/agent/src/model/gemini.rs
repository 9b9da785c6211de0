//! Gemini's `streamGenerateContent`: how a conversation is written, and how an answer is read, streamed or
//! whole.

use serde_json::{Value, json};

use super::{Answer, Ask, Message, ModelError, Role, ToolCall};
use crate::repair;

/// The request for an answer.
pub(super) fn request(ask: &Ask<'_>) -> Value {
    let rules = ask.messages.iter().filter(|one| one.role == Role::System);
    let rules: Vec<Value> = rules.map(|one| json!({ "text": one.text })).collect();
    let mut body = json!({
        "systemInstruction": { "parts": rules },
        "contents": contents(ask.messages),
    });
    if !ask.tools.is_empty() {
        let tools = ask.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.parameters,
            })
        });
        body["tools"] = json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]);
    }
    if let Some(schema) = ask.schema {
        body["generationConfig"] =
            json!({ "responseMimeType": "application/json", "responseJsonSchema": schema });
    }
    body
}

fn contents(all: &[Message]) -> Vec<Value> {
    let mut written: Vec<Value> = Vec::new();
    // An outcome names the function that it is of.
    let mut called = "";
    for message in all.iter().filter(|one| one.role != Role::System) {
        let role = match message.role {
            Role::Assistant => "model",
            Role::User | Role::System | Role::Tool => "user",
        };
        let mut parts = Vec::new();
        if message.role == Role::Tool {
            let response = json!({ "name": called, "response": { "output": message.text } });
            parts.push(json!({ "functionResponse": response }));
        } else if !message.text.trim().is_empty() {
            parts.push(json!({ "text": message.text }));
        }
        parts.extend(message.images.iter().map(
            |image| json!({ "inlineData": { "mimeType": image.mime, "data": image.base64 } }),
        ));
        for call in &message.calls {
            called = &call.name;
            let input = repair::json(&call.arguments).map(|read| read.value);
            let input = input.filter(Value::is_object).unwrap_or_else(|| json!({}));
            let mut part = json!({ "functionCall": { "name": call.name, "args": input } });
            let extra = call.extra.as_ref().unwrap_or(&Value::Null);
            if let Some(signature) = extra["google"]["thought_signature"].as_str() {
                part["thoughtSignature"] = signature.into();
            }
            parts.push(part);
        }
        if parts.is_empty() {
            parts.push(json!({ "text": "(nothing)" }));
        }
        match written.last_mut() {
            // Turns take turns.
            Some(last) if last["role"] == role => {
                if let Some(before) = last["parts"].as_array_mut() {
                    before.append(&mut parts);
                }
            }
            _ => written.push(json!({ "role": role, "parts": parts })),
        }
    }
    written
}

/// Reads a whole answer.
pub(super) fn answer(body: &[u8]) -> Result<Answer, ModelError> {
    let read: Value =
        serde_json::from_slice(body).map_err(|error| ModelError::Unreadable(error.to_string()))?;
    let mut streamed = Streamed::default();
    match read {
        // What a stream is without server-sent events.
        Value::Array(parts) => {
            for part in &parts {
                streamed.add(part)?;
            }
        }
        one => streamed.add(&one)?,
    }
    streamed.answer()
}

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    answer: Answer,
    /// Whether the model has said why it ended.
    ended: bool,
}

impl Streamed {
    /// Takes the data of an event. Nothing tells the last one from others: the stream ends after it.
    pub(super) fn take(&mut self, data: &str) -> Result<bool, ModelError> {
        let piece: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::Unreadable(error.to_string()))?;
        self.add(&piece)?;
        Ok(false)
    }

    /// What has come.
    ///
    /// # Errors
    /// The stream broke off.
    pub(super) fn answer(self) -> Result<Answer, ModelError> {
        match self.ended {
            true => Ok(self.answer),
            false => Err(ModelError::Cut),
        }
    }

    fn add(&mut self, piece: &Value) -> Result<(), ModelError> {
        if !piece["error"].is_null() {
            return Err(failed(&piece["error"]));
        }
        if let Some(why) = piece["promptFeedback"]["blockReason"].as_str() {
            return Err(blocked(why));
        }
        if !piece.is_object() {
            return Err(ModelError::Unreadable("it is no answer".to_owned()));
        }
        let of = |field: &str| piece["usageMetadata"][field].as_u64();
        if let Some(input) = of("promptTokenCount") {
            self.answer.usage.input = input;
            let written = ["candidatesTokenCount", "thoughtsTokenCount"];
            self.answer.usage.output = written.into_iter().filter_map(of).sum();
        }
        let candidate = &piece["candidates"][0];
        let parts = candidate["content"]["parts"].as_array();
        for part in parts.into_iter().flatten() {
            self.part(part);
        }
        if let Some(why) = candidate["finishReason"].as_str() {
            self.ended = true;
            let nothing = self.answer.text.is_empty() && self.answer.calls.is_empty();
            let usual = ["STOP", "MAX_TOKENS", "MALFORMED_FUNCTION_CALL"];
            if nothing && !usual.contains(&why) {
                return Err(blocked(why));
            }
        }
        Ok(())
    }

    fn part(&mut self, part: &Value) {
        if part["thought"] == true {
            return;
        }
        self.answer
            .text
            .push_str(part["text"].as_str().unwrap_or_default());
        let call = &part["functionCall"];
        if let Some(name) = call["name"].as_str() {
            let signature = part["thoughtSignature"].as_str();
            self.answer.calls.push(ToolCall {
                id: format!("call-{}", self.answer.calls.len()),
                name: name.to_owned(),
                arguments: match &call["args"] {
                    Value::Null => "{}".to_owned(),
                    arguments => arguments.to_string(),
                },
                // As its OpenAI-compatible endpoint writes it.
                extra: signature.map(|it| json!({ "google": { "thought_signature": it } })),
            });
        }
    }
}

fn blocked(why: &str) -> ModelError {
    ModelError::Refused {
        status: 200,
        message: format!("it gave no answer: {}", szk_text::line(why, 60)),
    }
}

/// An error within a stream.
fn failed(error: &Value) -> ModelError {
    let message = szk_text::line(error["message"].as_str().unwrap_or_default(), 300);
    let status = error["code"].as_u64();
    let status = status.and_then(|code| u16::try_from(code).ok());
    match status.unwrap_or(500) {
        429 => ModelError::Busy { after: None },
        status @ (401 | 403) => ModelError::Key { status },
        status @ 400..500 => ModelError::Refused { status, message },
        status => ModelError::Down { status },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_written_in_turns_with_pictures_and_signatures() {
        let mut said = Message::new(Role::Assistant, "I click");
        said.calls.push(ToolCall {
            id: "x".to_owned(),
            name: "browser_act".to_owned(),
            arguments: "{kind: 'click',}".to_owned(),
            extra: Some(json!({"google": {"thought_signature": "s"}})),
        });
        let mut told = Message::new(Role::Tool, "done");
        told.images.push(szk_tools::Image {
            mime: "image/png".to_owned(),
            base64: "AAAA".to_owned(),
        });
        let all = [
            Message::new(Role::System, "rules"),
            Message::new(Role::User, "task"),
            Message::new(Role::User, "the page now"),
            said,
            told,
        ];
        let schema = json!({"type": "object"});
        let ask = Ask {
            messages: &all,
            tools: &[],
            schema: Some(&schema),
        };
        let body = request(&ask);
        assert_eq!(body["systemInstruction"]["parts"][0]["text"], "rules");
        assert_eq!(body["generationConfig"]["responseJsonSchema"], schema);
        let contents = body["contents"].as_array().unwrap();
        let roles: Vec<&Value> = contents.iter().map(|one| &one["role"]).collect();
        assert_eq!(roles, ["user", "model", "user"]);
        assert_eq!(contents[0]["parts"][1]["text"], "the page now");
        let call = &contents[1]["parts"][1];
        assert_eq!(call["functionCall"]["args"], json!({"kind": "click"}));
        assert_eq!(call["thoughtSignature"], "s");
        let told = &contents[2]["parts"];
        assert_eq!(told[0]["functionResponse"]["name"], "browser_act");
        assert_eq!(
            told[1]["inlineData"],
            json!({"mimeType": "image/png", "data": "AAAA"})
        );
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        for (body, expected) in [
            (
                json!({"promptFeedback": {"blockReason": "SAFETY"}}),
                "SAFETY",
            ),
            (
                json!({"candidates": [{"finishReason": "SAFETY"}]}),
                "SAFETY",
            ),
            (json!({"candidates": []}), "broke off"),
            (
                json!([{"error": {"code": 404, "message": "no such model"}}]),
                "no such model",
            ),
            (json!(5), "no answer"),
        ] {
            let error = answer(body.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{body}: {error}");
        }
    }
}
