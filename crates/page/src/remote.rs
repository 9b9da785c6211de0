//! What our JavaScript gives back, and what the browser says when its document is gone.

use serde::Deserialize;
use serde_json::value::RawValue;
use szk_cdp::CallError;

/// JavaScript of ours threw, which is a defect, or the page is in a state that we did not think of.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct Thrown(pub String);

/// What a function gave back.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub(crate) result: RemoteObject,
    pub(crate) exception_details: Option<Exception>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RemoteObject {
    pub(crate) subtype: Option<String>,
    pub(crate) value: Option<Box<RawValue>>,
    pub(crate) object_id: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Exception {
    text: String,
    exception: Option<RemoteObject>,
}

impl Evaluated {
    /// The result, unless something was thrown.
    pub(crate) fn ok(self) -> Result<RemoteObject, Thrown> {
        let Some(exception) = self.exception_details else {
            return Ok(self.result);
        };
        let said = exception.exception.and_then(|object| object.description);
        let said = said.unwrap_or(exception.text);
        Err(Thrown(said.lines().next().unwrap_or_default().to_owned()))
    }
}

/// Chromium's words for a world that is gone with its document.
const GONE: [&str; 5] = [
    "Cannot find context with specified id",
    "Could not find object with given id",
    "Invalid remote object id",
    "Execution context was destroyed",
    "No frame for given id found",
];

/// Whether it failed because the document was replaced meanwhile.
#[must_use]
pub fn is_gone(error: &CallError) -> bool {
    matches!(error, CallError::Remote { message, .. } if GONE.iter().any(|gone| message.contains(gone)))
}
