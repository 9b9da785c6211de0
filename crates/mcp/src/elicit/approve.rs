//! The question whether a call may be made: `[policy] approve`.

use rmcp::model::{ElicitRequest, ElicitRequestParams};
use serde_json::json;
use szk_tools::Failure;

/// The yes-or-no question about a call that the keeper refused.
pub(super) fn question(refused: &Failure) -> Option<ElicitRequest> {
    let schema = json!({"type": "object", "properties": {}});
    Some(ElicitRequest::new(
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("{}\nAccept to let this happen, once.", refused.message),
            requested_schema: serde_json::from_value(schema).ok()?,
        },
    ))
}

/// The person said no.
pub(super) fn declined(refused: Failure) -> Failure {
    over(refused, "the person said no")
}

/// The person said nothing.
pub(super) fn unanswered(refused: Failure) -> Failure {
    over(refused, "the person did not answer in time")
}

fn over(refused: Failure, how: &str) -> Failure {
    let message = format!("{how}: {}", refused.message);
    Failure {
        message,
        approval: None,
        ..refused
    }
    .hint("do it another way, or ask the person what they want instead")
}
