//! Failures as HTTP answers: one shape for all of them.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use szk_tools::{Code, Done, Failure};

/// Seconds after which to try again, unless more is known.
const RETRY_AFTER: u64 = 5;

/// A failure on its way to the client.
#[derive(Debug)]
pub(crate) struct ErrorReply {
    pub(crate) failure: Failure,
    status: StatusCode,
    /// Seconds after which to try again, for statuses that say it.
    retry_after: u64,
}

impl From<Failure> for ErrorReply {
    fn from(failure: Failure) -> Self {
        let status = StatusCode::from_u16(failure.code.http_status())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::with_status(failure, status)
    }
}

impl ErrorReply {
    /// The same failure with another status than its code's.
    pub(crate) fn with_status(failure: Failure, status: StatusCode) -> Self {
        Self {
            failure,
            status,
            retry_after: RETRY_AFTER,
        }
    }

    /// Sets after how long to try again.
    pub(crate) fn after(mut self, time: Duration) -> Self {
        self.retry_after = time.as_secs() + u64::from(time.subsec_nanos() > 0);
        self
    }

    /// A path that is nowhere.
    pub(crate) fn no_route(path: &str) -> Self {
        let path: String = path.chars().take(200).collect();
        Failure::new(
            Code::NotFound,
            format!("nothing is at `{}`", path.escape_debug()),
        )
        .hint("the addresses are listed at `/docs` and in `/openapi.json`")
        .into()
    }

    /// A method that an address does not take.
    pub(crate) fn no_method() -> Self {
        let failure = Failure::invalid("this address does not take this method")
            .hint("see `Allow` in the answer, or `/docs`");
        Self::with_status(failure, StatusCode::METHOD_NOT_ALLOWED)
    }

    /// The body, also for events.
    pub(crate) fn body(&self) -> Value {
        let mut error = serde_json::to_value(&self.failure).unwrap_or_default();
        error["status"] = self.status.as_u16().into();
        json!({ "error": error })
    }
}

impl IntoResponse for ErrorReply {
    fn into_response(self) -> Response {
        let mut response = (self.status, axum::Json(self.body())).into_response();
        let headers = response.headers_mut();
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(
                    header::WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer realm=\"szk\""),
                );
            }
            // Clients repeat by themselves what says when.
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
                if self.failure.effect == Done::None =>
            {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after));
            }
            _ => {}
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_when_to_repeat_what_was_done() {
        let says_when = |effect| {
            let failure = Failure::new(Code::LimitReached, "x").effect(effect);
            let answer = ErrorReply::from(failure).into_response();
            answer.headers().contains_key(header::RETRY_AFTER)
        };
        assert!(says_when(Done::None));
        assert!(!says_when(Done::Done));
        assert!(!says_when(Done::Unknown));
    }
}
