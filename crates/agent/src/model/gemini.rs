//! Gemini's `streamGenerateContent`: how a conversation is written, and how an answer is read, streamed or
//! whole.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::coming::{Coming, failed};
use super::{Answer, Ask, Message, ModelError, Role, ToolCall};
use crate::repair;

/// Why an answer may end without having said anything, although nobody objects to it.
const OWN_FAULT: [&str; 5] = [
    "STOP",
    "MAX_TOKENS",
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
];
/// How ids begin that are ours: the API gives some calls none, and then wants none with their outcome.
const OURS: &str = "call-";

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
    // An outcome names the function that it is of; they come in the order of their calls.
    let mut called = VecDeque::new();
    for message in all.iter().filter(|one| one.role != Role::System) {
        let role = match message.role {
            Role::Assistant => "model",
            Role::User | Role::System | Role::Tool => "user",
        };
        let mut parts = Vec::new();
        if message.role == Role::Tool {
            let (id, name) = called.pop_front().unwrap_or(("", ""));
            let mut response = json!({ "name": name, "response": { "output": message.text } });
            identify(&mut response, id);
            parts.push(json!({ "functionResponse": response }));
        } else if !message.text.trim().is_empty() {
            parts.push(json!({ "text": message.text }));
        }
        parts.extend(message.images.iter().map(
            |image| json!({ "inlineData": { "mimeType": image.mime, "data": image.base64 } }),
        ));
        for call in &message.calls {
            called.push_back((call.id.as_str(), call.name.as_str()));
            let input = repair::json(&call.arguments).map(|read| read.value);
            let input = input.filter(Value::is_object).unwrap_or_else(|| json!({}));
            let mut part = json!({ "functionCall": { "name": call.name, "args": input } });
            identify(&mut part["functionCall"], &call.id);
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

fn identify(of: &mut Value, id: &str) {
    if !id.is_empty() && !id.starts_with(OURS) {
        of["id"] = id.into();
    }
}

/// Reads a whole answer.
pub(super) fn answer(body: &[u8]) -> Result<Answer, ModelError> {
    let read: Value =
        serde_json::from_slice(body).map_err(|error| ModelError::Unreadable(error.to_string()))?;
    let mut coming = Coming::default();
    match read {
        // What a stream is without server-sent events.
        Value::Array(parts) => {
            for part in &parts {
                add(&mut coming, part)?;
            }
        }
        one => add(&mut coming, &one)?,
    }
    coming.whole()
}

/// Takes the data of an event. Nothing tells the last one from others: the stream ends after it.
pub(super) fn take(coming: &mut Coming, data: &str) -> Result<bool, ModelError> {
    let piece: Value =
        serde_json::from_str(data).map_err(|error| ModelError::Unreadable(error.to_string()))?;
    add(coming, &piece)?;
    Ok(false)
}

fn add(coming: &mut Coming, piece: &Value) -> Result<(), ModelError> {
    if !piece["error"].is_null() {
        return Err(failed(&piece["error"]));
    }
    if let Some(why) = piece["promptFeedback"]["blockReason"].as_str() {
        return Err(blocked(why));
    }
    if !piece.is_object() {
        return Err(ModelError::Unreadable("it is not an answer".to_owned()));
    }
    let of = |field: &str| piece["usageMetadata"][field].as_u64();
    let answer = &mut coming.answer;
    if let Some(input) = of("promptTokenCount") {
        answer.usage.input = input;
        let written = ["candidatesTokenCount", "thoughtsTokenCount"];
        answer.usage.output = written.into_iter().filter_map(of).sum();
    }
    let candidate = &piece["candidates"][0];
    let parts = candidate["content"]["parts"].as_array();
    for part in parts.into_iter().flatten() {
        take_part(answer, part);
    }
    if let Some(why) = candidate["finishReason"].as_str() {
        coming.ended = true;
        let nothing = answer.text.is_empty() && answer.calls.is_empty();
        // After these the model hears that it has to call a tool.
        if nothing && !OWN_FAULT.contains(&why) {
            return Err(blocked(why));
        }
    }
    Ok(())
}

fn take_part(answer: &mut Answer, part: &Value) {
    if part["thought"] == true {
        return;
    }
    answer
        .text
        .push_str(part["text"].as_str().unwrap_or_default());
    let call = &part["functionCall"];
    if let Some(name) = call["name"].as_str() {
        let signature = part["thoughtSignature"].as_str();
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        answer.calls.push(ToolCall {
            id: match id {
                Some(id) => id.to_owned(),
                None => format!("{OURS}{}", answer.calls.len()),
            },
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

fn blocked(why: &str) -> ModelError {
    ModelError::Refused {
        status: 200,
        message: format!("it gave no answer: {}", szk_text::line(why, 60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_written_in_turns_with_pictures_and_signatures() {
        let mut said = Message::new(Role::Assistant, "I click");
        said.calls.push(ToolCall {
            id: "fc_1".to_owned(),
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
        assert_eq!(call["functionCall"]["id"], "fc_1");
        let told = &contents[2]["parts"];
        assert_eq!(told[0]["functionResponse"]["name"], "browser_act");
        assert_eq!(told[0]["functionResponse"]["id"], "fc_1");
        assert_eq!(
            told[1]["inlineData"],
            json!({"mimeType": "image/png", "data": "AAAA"})
        );
    }

    /// Takes the events of a stream.
    fn streamed(events: &[Value]) -> Result<Answer, ModelError> {
        let mut coming = Coming::default();
        for event in events {
            take(&mut coming, &event.to_string())?;
        }
        coming.whole()
    }

    #[test]
    fn parallel_calls_keep_their_signature_and_ids_and_are_answered_in_order() {
        // Only the first of parallel calls is signed, and thoughts come first.
        let thought = json!({"candidates": [{"content": {"parts": [{"text": "**Filling**", "thought": true}], "role": "model"}, "index": 0}],
            "usageMetadata": {"promptTokenCount": 40, "totalTokenCount": 60, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 40}], "thoughtsTokenCount": 20}, "modelVersion": "gemini-3", "responseId": "r"});
        let calls = json!({"candidates": [{"content": {"parts": [
                {"functionCall": {"name": "browser_act", "args": {"kind": "fill"}, "id": "fc_a"}, "thoughtSignature": "sig"},
                {"functionCall": {"name": "browser_act", "args": {"kind": "click"}}},
            ], "role": "model"}, "index": 0}]});
        let end = json!({"candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 40, "candidatesTokenCount": 9, "totalTokenCount": 69, "thoughtsTokenCount": 20}});
        let answer = streamed(&[thought, calls, end]).unwrap();
        assert_eq!(answer.text, "");
        assert_eq!((answer.usage.input, answer.usage.output), (40, 29));
        let mut said = Message::new(Role::Assistant, "");
        said.calls = answer.calls;
        let all = [
            Message::new(Role::User, "task"),
            said,
            Message::new(Role::Tool, "filled"),
            Message::new(Role::Tool, "clicked"),
        ];
        let contents = contents(&all);
        let parts = contents[1]["parts"].as_array().unwrap();
        assert_eq!(parts[0]["thoughtSignature"], "sig");
        assert_eq!(parts[0]["functionCall"]["id"], "fc_a");
        assert!(parts[1]["thoughtSignature"].is_null() && parts[1]["functionCall"]["id"].is_null());
        let told = &contents[2]["parts"];
        assert_eq!(told[0]["functionResponse"]["id"], "fc_a");
        assert_eq!(told[1]["functionResponse"]["response"]["output"], "clicked");
        assert!(told[1]["functionResponse"]["id"].is_null());
    }

    #[test]
    fn an_answer_says_why_it_ended() {
        let ended = |why: &str, parts: Value| {
            let message = "Malformed function call: print(default_api.done(";
            let content = json!({"parts": parts, "role": "model"});
            streamed(&[
                json!({"candidates": [{"content": content, "finishReason": why, "finishMessage": message, "index": 0}]}),
            ])
        };
        // Cut off within its thoughts, or a call that is none: it is asked again.
        for why in OWN_FAULT {
            let answer = ended(why, json!([])).unwrap();
            assert!(answer.calls.is_empty() && answer.text.is_empty(), "{why}");
        }
        for why in [
            "SAFETY",
            "RECITATION",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "LANGUAGE",
            "OTHER",
        ] {
            let error = ended(why, json!([])).unwrap_err();
            assert!(
                error.to_string().contains(why) && !error.is_passing(),
                "{error}"
            );
        }
        // What came before stands; a picture is none of it.
        let said = ended(
            "MAX_TOKENS",
            json!([{"text": "I cl"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]),
        );
        assert_eq!(said.unwrap().text, "I cl");
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
            (json!(5), "not an answer"),
        ] {
            let error = answer(body.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{body}: {error}");
        }
    }
}
