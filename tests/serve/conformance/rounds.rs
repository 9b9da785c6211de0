//! Answers that need input: the client asks its user, or its model, and calls again (2026-07-28).

use std::sync::LazyLock;

use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ErrorData, GetPromptResponse,
    GetPromptResult, InputRequiredResult, InputResponses, RequestStateCodec,
};
use serde_json::{Value, json};

use super::answers::text;
use super::catalogue::read;

/// Signs states, as szk's own server does.
static SEAL: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::try_new([7; RequestStateCodec::MIN_KEY_LENGTH]).unwrap());

/// One request of the client.
pub(super) struct Round {
    pub(super) can: ClientCapabilities,
    pub(super) said: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl Round {
    /// What the client brought for a question.
    fn said(&self, key: &str) -> Option<&Value> {
        self.said.as_ref()?.get(key).filter(|said| said.is_object())
    }

    /// What a user filled in.
    pub(super) fn filled(&self, key: &str, field: &str) -> Option<&str> {
        self.said(key)?["content"][field].as_str()
    }

    /// The state that the client brought back.
    fn state(&self) -> Result<Option<String>, ErrorData> {
        let Some(state) = &self.state else {
            return Ok(None);
        };
        SEAL.open_json(state)
            .map(Some)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
    }
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object", "properties": {field: {"type": kind}}, "required": [field],
        },
    }})
}

fn model(question: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": question}}],
        "maxTokens": 100,
    }})
}

/// An answer that asks, with a state to bring back.
pub(super) fn asks(questions: Value, state: Option<&str>) -> InputRequiredResult {
    let state = state.map(|state| SEAL.seal_json(&state).unwrap());
    InputRequiredResult::new(Some(read(questions)), state)
}

fn complete(answer: &str) -> CallToolResponse {
    read::<CallToolResult>(json!({"resultType": "complete", "content": text(answer)})).into()
}

/// The answer of a tool that asks.
pub(super) fn tool(name: &str, round: &Round) -> Option<Result<CallToolResponse, ErrorData>> {
    let state = match round.state() {
        Ok(state) => state,
        // The server's own calls have states of their own.
        Err(_) if !name.starts_with("test_") => return None,
        Err(refused) => return Some(Err(refused)),
    };
    let name_of = form("What is your name?", "name", "string");
    let capital = model("What is the capital of France?");
    let roots = json!({"method": "roots/list", "params": {}});
    Some(Ok(match name {
        "test_missing_capability" if round.can.sampling.is_none() => {
            let needs = read(json!({"sampling": {}}));
            return Some(Err(ErrorData::missing_required_client_capability(needs)));
        }
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            match round.filled("user_name", "name") {
                Some(name) => complete(&format!("Hello, {name}!")),
                None => asks(json!({"user_name": name_of}), None).into(),
            }
        }
        "test_input_required_result_sampling" => match round.said("capital_question") {
            Some(said) => complete(&said["content"].to_string()),
            None => asks(json!({"capital_question": capital}), None).into(),
        },
        "test_input_required_result_list_roots" => match round.said("client_roots") {
            Some(said) => complete(&said["roots"].to_string()),
            None => asks(json!({"client_roots": roots}), None).into(),
        },
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            match (round.said("confirm"), state.as_deref()) {
                (Some(_), Some("confirming")) => complete("state-ok"),
                _ => {
                    let question = form("Please confirm", "ok", "boolean");
                    asks(json!({"confirm": question}), Some("confirming")).into()
                }
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let keys = ["user_name", "greeting", "client_roots"];
            match keys.iter().all(|key| round.said(key).is_some()) && state.is_some() {
                true => complete("all is there"),
                false => {
                    let greeting = model("Generate a greeting");
                    let questions =
                        json!({"user_name": name_of, "greeting": greeting, "client_roots": roots});
                    asks(questions, Some("several")).into()
                }
            }
        }
        "test_input_required_result_multi_round" => match state.as_deref() {
            Some("two") if round.said("step2").is_some() => complete("both steps are done"),
            Some("one") if round.said("step1").is_some() => {
                let question = form("Step 2: What is your favorite color?", "color", "string");
                asks(json!({"step2": question}), Some("two")).into()
            }
            _ => {
                let question = form("Step 1: What is your name?", "name", "string");
                asks(json!({"step1": question}), Some("one")).into()
            }
        },
        "test_input_required_result_capabilities" => {
            let mut questions = json!({});
            if round.can.elicitation.is_some() {
                questions["user_name"] = name_of;
            }
            if round.can.sampling.is_some() {
                questions["capital_question"] = capital;
            }
            asks(questions, None).into()
        }
        "test_tool_with_task" if round.filled("user_name", "name").is_none() => {
            asks(json!({"user_name": name_of}), Some("before the task")).into()
        }
        _ => return None,
    }))
}

/// The answer of a prompt that asks.
pub(super) fn prompt(
    name: &str,
    said: Option<&InputResponses>,
) -> Option<Result<GetPromptResponse, ErrorData>> {
    if name != "test_input_required_result_prompt" {
        return None;
    }
    let said = said.and_then(|said| said.get("user_context")?["content"]["context"].as_str());
    Some(Ok(match said {
        None => {
            let question = form("What context should the prompt use?", "context", "string");
            asks(json!({"user_context": question}), None).into()
        }
        Some(context) => {
            let content = json!({"type": "text", "text": format!("Use {context}.")});
            read::<GetPromptResult>(json!({"resultType": "complete", "messages": [{"role": "user", "content": content}]}))
                .into()
        }
    }))
}
