//! What our JavaScript gives back.

use serde::Deserialize;
use serde_json::value::RawValue;

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
