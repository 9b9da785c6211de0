//! Errors of the HTTP below MCP, as JSON-RPC errors that carry szk's own: rmcp gives them in plain text.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::header::HeaderValue;
use hyper::{Response, StatusCode, header};
use rmcp::model::{ErrorCode, RequestId};
use serde_json::json;
use szk_tools::{Code, Done, Failure};

/// A request that gets no further.
pub(super) struct Refused {
    pub(super) status: StatusCode,
    /// Absent if the request has none, or none is known.
    pub(super) id: Option<RequestId>,
    pub(super) code: ErrorCode,
    /// Behind a pointer, as refusals are returned by value.
    pub(super) failure: Box<Failure>,
}

impl Refused {
    /// Something that is not a message that could be answered.
    pub(super) fn of(status: StatusCode, failure: Failure) -> Self {
        Self {
            status,
            id: None,
            code: ErrorCode::INVALID_REQUEST,
            failure: Box::new(failure),
        }
    }

    /// The answer: a JSON-RPC error, with szk's as its data.
    pub(super) fn answer(&self) -> Response<BoxBody<Bytes, Infallible>> {
        let failure = &*self.failure;
        let message = match &failure.hint {
            Some(hint) => format!("{}; {hint}", failure.message),
            None => failure.message.clone(),
        };
        let error = json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": {"code": self.code, "message": message, "data": failure},
        });
        let mut response = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
        *response.status_mut() = self.status;
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        response
    }
}

/// An answer of rmcp to the request with this id; an error in plain text becomes one that says what to do.
pub(super) async fn explained(
    response: Response<BoxBody<Bytes, Infallible>>,
    id: Option<RequestId>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    // What rmcp says as JSON-RPC or as events names its type.
    if !failed || response.headers().contains_key(header::CONTENT_TYPE) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(text) = body.collect().await;
    let text = String::from_utf8_lossy(&text.to_bytes()).into_owned();
    let refused = Refused {
        id,
        code: match status.is_server_error() {
            true => ErrorCode::INTERNAL_ERROR,
            false => ErrorCode::INVALID_REQUEST,
        },
        ..Refused::of(status, failure(status, &text))
    };
    let mut answer = refused.answer();
    for (name, value) in &parts.headers {
        // Such as `Allow`.
        if name != header::CONTENT_LENGTH {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// What a body must be.
pub(super) fn media_type() -> Failure {
    Failure::invalid("the body must be JSON, and `Content-Type` must say so")
        .hint("send `Content-Type: application/json`")
}

fn failure(status: StatusCode, text: &str) -> Failure {
    match status {
        StatusCode::NOT_FOUND => Failure::new(
            Code::NotFound,
            "no MCP session has this id: it has ended, or the server was started again",
        )
        .hint("send `initialize` again, without `Mcp-Session-Id`"),
        StatusCode::METHOD_NOT_ALLOWED => {
            Failure::invalid("this address does not take this method")
                .hint("send messages by POST; `Allow` in the answer has all methods")
        }
        StatusCode::NOT_ACCEPTABLE if text.contains("both") => {
            Failure::invalid("the client must accept JSON and events, and `Accept` must say so")
                .hint("send `Accept: application/json, text/event-stream`")
        }
        StatusCode::NOT_ACCEPTABLE => {
            Failure::invalid("the client must accept events, and `Accept` must say so")
                .hint("send `Accept: text/event-stream`")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => media_type(),
        StatusCode::BAD_REQUEST if text.contains("Session ID is required") => {
            Failure::invalid("the request names no MCP session").hint(
                "send `initialize` first, and then `Mcp-Session-Id` of its answer; from protocol 2026-07-28 on, name the version in `MCP-Protocol-Version` and `params._meta` instead",
            )
        }
        _ if status.is_server_error() => {
            Failure::internal(text.to_owned()).effect(Done::Unknown)
        }
        _ => Failure::invalid(text.trim_start_matches("Bad Request: ").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn plain(status: u16, text: &'static str) -> Response<BoxBody<Bytes, Infallible>> {
        Response::builder()
            .status(status)
            .header(header::ALLOW, "GET, POST, DELETE")
            .body(Full::new(Bytes::from_static(text.as_bytes())).boxed())
            .unwrap()
    }

    #[tokio::test]
    async fn plain_text_becomes_an_error_with_a_next_step() {
        for (status, text, code, hint) in [
            (
                404,
                "Not Found: Session not found",
                "NOT_FOUND",
                "`initialize`",
            ),
            (405, "Method Not Allowed", "INVALID_INPUT", "POST"),
            (
                406,
                "Not Acceptable: Client must accept both",
                "INVALID_INPUT",
                "application/json",
            ),
            (
                406,
                "Not Acceptable: Client must accept",
                "INVALID_INPUT",
                "text/event-stream",
            ),
            (
                415,
                "Unsupported Media Type",
                "INVALID_INPUT",
                "application/json",
            ),
            (
                400,
                "Bad Request: Session ID is required",
                "INVALID_INPUT",
                "Mcp-Session-Id",
            ),
        ] {
            let id = RequestId::Number(3);
            let answer = explained(plain(status, text), Some(id)).await;
            assert_eq!(answer.status(), status);
            assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json");
            assert_eq!(answer.headers()[header::ALLOW], "GET, POST, DELETE");
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            let said: Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(said["id"], 3, "{said}");
            assert_eq!(said["error"]["code"], -32600, "{said}");
            let data = &said["error"]["data"];
            assert_eq!(data["code"], code, "{said}");
            assert!(data["hint"].as_str().unwrap().contains(hint), "{said}");
        }
    }

    #[tokio::test]
    async fn what_is_json_already_stays() {
        let mut response = plain(400, "{}");
        let kind = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        let answer = explained(response, None).await;
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, "{}");
    }
}
