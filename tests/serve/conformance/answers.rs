//! Answers that end at once, and those that ask the client on the way (up to 2025-11-25).

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, GetPromptRequestParams, GetPromptResult,
    JsonObject, ReadResourceResult, ServerRequest,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::caller::PNG;
use super::catalogue::read;

/// An empty sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The answer of a tool that no operation of szk could give.
pub(super) async fn tool(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResult, ErrorData>> {
    let of = |name: &str| argument(request.arguments.as_ref(), name);
    let resource = |uri: &str, mime: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}});
    let content = match &*request.name {
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => json!([
            {"type": "text", "text": "Multiple content types test:"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ]),
        "greet" => text(&format!("Hello, {}!", of("name"))),
        "test_with_header" => text(&of("region")),
        "test_logging_tool" | "test_reconnection" | "json_schema_2020_12_tool" => text("done"),
        "test_sampling" => {
            let messages =
                json!([{"role": "user", "content": {"type": "text", "text": of("prompt")}}]);
            let asked = json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}});
            return Some(
                ask(context, asked, |said| {
                    format!(
                        "LLM response: {}",
                        said["content"]["text"].as_str().unwrap_or_default()
                    )
                })
                .await,
            );
        }
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": {"type": "string", "description": "User's response"},
                    "email": {"type": "string", "description": "User's email address"},
                },
                "required": ["username", "email"],
            });
            return Some(elicit(context, &of("message"), schema).await);
        }
        "test_elicitation_sep1034_defaults" => {
            let schema = json!({"type": "object", "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
                "verified": {"type": "boolean", "default": true},
            }});
            return Some(elicit(context, "All have defaults.", schema).await);
        }
        "test_elicitation_sep1330_enums" => {
            let titled =
                |values: [&str; 3]| values.map(|value| json!({"const": value, "title": value}));
            let (values, options) = (
                ["value1", "value2", "value3"],
                ["option1", "option2", "option3"],
            );
            let schema = json!({"type": "object", "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": titled(values)},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled(values)}},
            }});
            return Some(elicit(context, "Choose.", schema).await);
        }
        _ => return None,
    };
    Some(Ok(read(
        json!({"resultType": "complete", "content": content}),
    )))
}

pub(super) fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn argument(arguments: Option<&JsonObject>, name: &str) -> String {
    let value = arguments.and_then(|arguments| arguments.get(name)?.as_str());
    value.unwrap_or_default().to_owned()
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    schema: Value,
) -> Result<CallToolResult, ErrorData> {
    let asked = json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    });
    let told = |said: &Value| {
        format!(
            "User response: action={}, content={}",
            said["action"], said["content"]
        )
    };
    ask(context, asked, told).await
}

async fn ask(
    context: &RequestContext<RoleServer>,
    asked: Value,
    told: impl FnOnce(&Value) -> String,
) -> Result<CallToolResult, ErrorData> {
    let asked: ServerRequest = read(asked);
    let (content, failed) = match context.peer.send_request(asked).await {
        Ok(said) => (told(&serde_json::to_value(said).unwrap()), false),
        Err(error) => (error.to_string(), true),
    };
    Ok(read(
        json!({"resultType": "complete", "content": text(&content), "isError": failed}),
    ))
}

pub(super) fn resource(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => {
            json!({"mimeType": "text/plain", "text": "This is the content of the static text resource."})
        }
        "test://static-binary" => json!({"mimeType": "image/png", "blob": PNG}),
        other => {
            let id = other
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"mimeType": "application/json", "text": data.to_string()})
        }
    };
    let mut contents = contents;
    contents["uri"] = uri.into();
    Some(ReadResourceResult::new(vec![read(contents)]))
}

pub(super) fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let of = |name: &str| argument(request.arguments.as_ref(), name);
    let said = |text: String| json!({"type": "text", "text": text});
    let contents = match &*request.name {
        "test_simple_prompt" => vec![said("This is a simple prompt for testing.".into())],
        "test_prompt_with_arguments" => vec![said(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            of("arg1"),
            of("arg2")
        ))],
        "test_prompt_with_embedded_resource" => vec![
            json!({"type": "resource", "resource": {
                "uri": of("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }}),
            said("Please process the embedded resource above.".into()),
        ],
        "test_prompt_with_image" => vec![
            json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
            said("Please analyze the image above.".into()),
        ],
        _ => return None,
    };
    let messages: Vec<Value> = contents
        .into_iter()
        .map(|content| json!({"role": "user", "content": content}))
        .collect();
    Some(read(
        json!({"resultType": "complete", "messages": messages}),
    ))
}
