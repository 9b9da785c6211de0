//! Tools that take long: those that an operation of szk can stand for, and those that none can.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateTaskResult, ErrorData,
    JsonObject,
};
use rmcp::task_manager::TaskExit;
use serde_json::{Value, json};
use szk_mcp::{Running, Tasks};

use super::answers::text;
use super::catalogue::read;
use super::rounds::Round;

/// The operation of szk that answers for a tool, and its input.
///
/// # Errors
/// The tool cannot do without tasks, and the client knows none.
pub(super) fn operation(
    request: &CallToolRequestParams,
    round: &Round,
) -> Result<Option<(&'static str, JsonObject)>, ErrorData> {
    let run = |task: Value| ("agent_run", json!({"task": task}));
    let (name, input) = match &*request.name {
        "test_simple_text" => ("session_list", json!({})),
        "test_image_content" => ("browser_screenshot", json!({})),
        "test_error_handling" => ("browser_navigate", json!({"url": "https://example.com"})),
        "test_tool_with_progress" | "test_tool_with_logging" => ("session_open", json!({})),
        "confirm_delete" => ("session_handoff", json!({"reason": "Delete the file?"})),
        "slow_compute" => {
            let seconds = request
                .arguments
                .as_ref()
                .and_then(|given| given.get("seconds"));
            run(seconds.map(Value::to_string).into())
        }
        "failing_job" | "test_tool_with_task" if !round.can.supports_tasks() => {
            let needs = read(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
            return Err(ErrorData::missing_required_client_capability(needs));
        }
        "failing_job" => run("fail".into()),
        "test_tool_with_task" => run(round.filled("user_name", "name").into()),
        _ => return Ok(None),
    };
    let input = input.as_object().cloned();
    Ok(input.map(|input| (name, input)))
}

/// Starts what no operation does: a failure of the protocol, and two questions at a time.
pub(super) fn begin(
    tasks: &Tasks,
    name: &str,
    round: &Round,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let minute = Duration::from_secs(60);
    let task = match name {
        _ if !round.can.supports_tasks() => return None,
        "protocol_error_job" => tasks.begin(minute, name, |_| async {
            Err(TaskExit::Error(ErrorData::internal_error("it broke", None)))
        }),
        "multi_input" => tasks.begin(minute, name, |running| async move {
            let (name, consent) = tokio::join!(asked(&running, "name"), asked(&running, "confirm"));
            match (name, consent) {
                (Some(_), Some(_)) => Ok(read::<CallToolResult>(
                    json!({"resultType": "complete", "content": text("both are there")}),
                )),
                _ => Err(TaskExit::Cancelled),
            }
        }),
        _ => return None,
    };
    Some(match task {
        Some(task) => Ok(CreateTaskResult::new(task).into()),
        None => Err(ErrorData::internal_error("too many tasks", None)),
    })
}

async fn asked(running: &Running, field: &str) -> Option<Value> {
    let question = json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": format!("Your {field}?"),
        "requestedSchema": {"type": "object", "properties": {field: {"type": "string"}}},
    }});
    running.ask(read(question)).await
}
