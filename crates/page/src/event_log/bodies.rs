//! Bodies of requests and responses, as long as Chromium still has them.

use serde::Deserialize;
use szk_cdp::protocol::network::{GetRequestPostDataParams, GetResponseBodyParams, RequestId};
use szk_cdp::{CallError, Connection, SessionId};

/// The body of a response.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResponseBody {
    /// Text, or base64 of what is not text.
    pub body: String,
    /// Whether it is base64.
    pub base64_encoded: bool,
}

/// The body that a request sent.
///
/// # Errors
/// [`CallError`] when Chromium no longer has it.
pub async fn request_body(
    connection: &Connection,
    session: &SessionId,
    request: &str,
) -> Result<String, CallError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Posted {
        post_data: String,
    }
    let params = GetRequestPostDataParams::new(RequestId::new(request));
    let posted: Posted = connection.ask(Some(session), &params).await?;
    Ok(posted.post_data)
}

/// The body that a request received.
///
/// # Errors
/// [`CallError`] when Chromium no longer has it.
pub async fn response_body(
    connection: &Connection,
    session: &SessionId,
    request: &str,
) -> Result<ResponseBody, CallError> {
    let params = GetResponseBodyParams::new(RequestId::new(request));
    connection.ask(Some(session), &params).await
}
