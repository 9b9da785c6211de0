//! The tools, prompts and resources that the suite knows by name.

use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Tools without arguments.
const PLAIN: [&str; 27] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_tool_with_task",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "confirm_delete",
    "multi_input",
    "failing_job",
    "protocol_error_job",
];

pub(super) fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("what the suite demands fits the protocol's types")
}

fn tool(name: &str, schema: Value) -> Tool {
    read(json!({"name": name, "description": "Demanded by the suite.", "inputSchema": schema}))
}

fn with(property: &str, schema: Value) -> Value {
    json!({"type": "object", "properties": {property: schema}, "required": [property]})
}

pub(super) fn tools() -> Vec<Tool> {
    let plain = PLAIN.map(|name| tool(name, json!({"type": "object", "properties": {}})));
    let text = json!({"type": "string"});
    let header = json!({"type": "string", "x-mcp-header": "Region"});
    let mut tools = plain.to_vec();
    tools.extend([
        tool("test_sampling", with("prompt", text.clone())),
        tool("test_elicitation", with("message", text.clone())),
        tool("test_with_header", with("region", header)),
        tool("greet", with("name", text)),
        tool("slow_compute", with("seconds", json!({"type": "number"}))),
        tool("json_schema_2020_12_tool", newest()),
    ]);
    tools
}

/// A schema of JSON Schema 2020-12, of which nothing may be lost.
fn newest() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

pub(super) fn resources() -> Vec<Resource> {
    read(json!([
        {"uri": "test://static-text", "name": "text", "mimeType": "text/plain"},
        {"uri": "test://static-binary", "name": "binary", "mimeType": "image/png"},
    ]))
}

pub(super) fn template() -> ResourceTemplate {
    read(json!({
        "uriTemplate": "test://template/{id}/data", "name": "data", "mimeType": "application/json",
    }))
}

pub(super) fn prompts() -> Vec<Prompt> {
    let of = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|name| json!({"name": name, "description": "An argument.", "required": true}))
            .collect();
        read(json!({"name": name, "description": "Demanded by the suite.", "arguments": arguments}))
    };
    vec![
        of("test_simple_prompt", &[]),
        of("test_prompt_with_arguments", &["arg1", "arg2"]),
        of("test_prompt_with_embedded_resource", &["resourceUri"]),
        of("test_prompt_with_image", &[]),
        of("test_input_required_result_prompt", &[]),
    ]
}
