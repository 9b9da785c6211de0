//! An answer that comes in pieces, and the errors that come instead.

use std::time::Duration;

use serde_json::Value;

use super::{Answer, ModelError};

/// An answer that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Coming {
    pub(super) answer: Answer,
    /// Whether the provider said that the message has ended; some end the stream without another word.
    pub(super) ended: bool,
}

impl Coming {
    /// What has come.
    ///
    /// # Errors
    /// The stream broke off.
    pub(super) fn whole(self) -> Result<Answer, ModelError> {
        match self.ended {
            true => Ok(self.answer),
            false => Err(ModelError::Cut),
        }
    }
}

/// The error in a body; Gemini's may be in a list.
pub(super) fn error_of(body: &[u8]) -> Value {
    let read: Value = serde_json::from_slice(body).unwrap_or_default();
    let first = if read.is_array() { &read[0] } else { &read };
    match &first["error"] {
        Value::Null => first.clone(),
        error => error.clone(),
    }
}

/// An error within a stream, where the status was that of success.
pub(super) fn failed(error: &Value) -> ModelError {
    let status = error["code"].as_u64();
    let status = status.and_then(|code| u16::try_from(code).ok());
    told(status.unwrap_or(500), error, None)
}

/// An error with its status; `after` is what the header says of when to try again.
pub(super) fn told(status: u16, error: &Value, after: Option<Duration>) -> ModelError {
    let details = || error["details"].as_array().into_iter().flatten();
    // Gemini answers 400 to a wrong key.
    let is_key = details().any(|one| one["reason"] == "API_KEY_INVALID");
    match status {
        401 | 403 => ModelError::Key { status },
        400..500 if is_key => ModelError::Key { status },
        429 => ModelError::Busy {
            after: after.or_else(|| details().find_map(|one| seconds(&one["retryDelay"]))),
        },
        400..500 => ModelError::Refused {
            status,
            message: message(error),
        },
        status => ModelError::Down { status },
    }
}

/// A time such as `"22s"`.
fn seconds(time: &Value) -> Option<Duration> {
    let seconds = time.as_str()?.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// What the provider says about an error.
fn message(error: &Value) -> String {
    let said = error["message"].as_str().or(error.as_str());
    szk_text::line(said.unwrap_or("no reason given"), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_as_providers_write_them() {
        let check = |status: u16, body: &str, expected: &str| {
            let error = told(status, &error_of(body.as_bytes()), None);
            assert_eq!(format!("{error:?}"), expected, "{body}");
        };
        let key = r#"{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT", "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]}}"#;
        check(400, key, "Key { status: 400 }");
        let quota = r#"[{"error": {"code": 429, "message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED", "details": [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "22.5s"}]}}]"#;
        check(429, quota, "Busy { after: Some(22.5s) }");
        check(429, "", "Busy { after: None }");
        let model = r#"[{"error": {"code": 404, "message": "models/x is not found", "status": "NOT_FOUND"}}]"#;
        check(
            404,
            model,
            "Refused { status: 404, message: \"models/x is not found\" }",
        );
        check(
            404,
            "{\"error\": \"no such model\"}",
            "Refused { status: 404, message: \"no such model\" }",
        );
        check(
            422,
            "{\"message\": \"bad\"}",
            "Refused { status: 422, message: \"bad\" }",
        );
        check(
            413,
            "<html>",
            "Refused { status: 413, message: \"no reason given\" }",
        );
        check(503, "{}", "Down { status: 503 }");
    }
}
