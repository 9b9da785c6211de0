//! What a POST brings, read before rmcp sees it: rmcp answers what is no message in plain text, as if its
//! type were wrong, and waits for a body as long as it takes.

use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body;
use hyper::{HeaderMap, StatusCode, header};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, RequestId};
use serde_json::Value;
use szk_tools::{Code, Failure};
use tokio::time::timeout;

use super::errors::{self, Refused};
use crate::wire::{Refusal, decode};

/// Longest message, in bytes: as long as any input of the server in front.
const LONGEST: usize = 8 << 20;

/// How long a message may take to arrive.
const ARRIVES: Duration = Duration::from_secs(30);

/// From this version on, every request says its version itself.
const NEWEST: &str = "2026-07-28";

/// What it says in its `_meta`.
const NEEDS: [&str; 2] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
];

/// A message that rmcp understands.
pub(super) struct Message {
    /// It, as rmcp reads it.
    pub(super) bytes: Bytes,
    /// The request's id, if it is a request.
    pub(super) id: Option<RequestId>,
}

/// Reads the message of a request.
pub(super) async fn read<B>(headers: &HeaderMap, body: B) -> Result<Message, Refused>
where
    B: Body + Send + 'static,
    B::Error: Display,
{
    if !is_json(headers) {
        return Err(Refused::of(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            errors::media_type(),
        ));
    }
    let bytes = bytes(body).await?;
    decoded(&bytes).map_err(|refusal| refused(refusal, headers, &bytes))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn bytes<B>(body: B) -> Result<Bytes, Refused>
where
    B: Body + Send + 'static,
    B::Error: Display,
{
    if body.size_hint().lower() > LONGEST as u64 {
        return Err(too_long());
    }
    // Limited wants errors of one type; what they say is all we need of them.
    let body = body.map_err(|error| error.to_string());
    let collected = timeout(ARRIVES, Limited::new(body, LONGEST).collect()).await;
    match collected {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(error)) => Err(Refused::of(
            StatusCode::BAD_REQUEST,
            Failure::invalid(format!("the body broke off: {error}"))
                .hint("send the body again, as long as its headers say"),
        )),
        Err(_) => Err(Refused::of(
            StatusCode::REQUEST_TIMEOUT,
            Failure::new(
                Code::Timeout,
                format!("the body did not arrive within {} s", ARRIVES.as_secs()),
            )
            .hint("send it faster, or less of it"),
        )),
    }
}

fn too_long() -> Refused {
    let text = format!("the message is longer than {} MiB", LONGEST >> 20);
    let failure = Failure::invalid(text).hint("send less, or give a part of it as a file");
    Refused::of(StatusCode::PAYLOAD_TOO_LARGE, failure)
}

fn decoded(bytes: &[u8]) -> Result<Message, Refusal> {
    let mut value = match decode::line(bytes)? {
        None => return Err(Refusal::invalid("the body is empty")),
        Some(Value::Array(_)) => {
            return Err(Refusal::invalid(
                "batches are not taken over HTTP: send one message a request",
            ));
        }
        Some(value) => value,
    };
    // rmcp does not take null for none.
    if let Some(fields) = value.as_object_mut()
        && fields.get("params").is_some_and(Value::is_null)
    {
        fields.remove("params");
    }
    let bytes = Bytes::from(decode::frame(&value));
    let id = match decode::message(value)? {
        Some(JsonRpcMessage::Request(request)) => Some(request.id),
        Some(_) => None,
        // What wants no answer on a stream of lines has one here: its status.
        None if serde_json::from_slice::<ClientJsonRpcMessage>(&bytes).is_ok() => None,
        None => {
            return Err(Refusal::invalid(
                "not a message that the server understands",
            ));
        }
    };
    Ok(Message { bytes, id })
}

/// Wrong parameters are an answer like any other, unless the request does not even say what all must.
fn refused(refusal: Refusal, headers: &HeaderMap, bytes: &[u8]) -> Refused {
    let newest = headers
        .get("mcp-protocol-version")
        .is_some_and(|version| version.as_bytes() >= NEWEST.as_bytes());
    let lacks = || {
        let value: Option<Value> = serde_json::from_slice(bytes).ok();
        value.is_none_or(|value| {
            NEEDS
                .iter()
                .any(|key| value["params"]["_meta"][*key].is_null())
        })
    };
    let answered =
        refusal.id.is_some() && refusal.code == ErrorCode::INVALID_PARAMS && !(newest && lacks());
    let status = match answered {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    };
    Refused {
        status,
        id: refusal.id,
        code: refusal.code,
        failure: Box::new(Failure::invalid(refusal.message)),
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;
    use hyper::header::HeaderValue;
    use serde_json::json;

    use super::*;

    async fn read_as(kind: &'static str, version: &'static str, text: &str) -> Value {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert("mcp-protocol-version", HeaderValue::from_static(version));
        let body = Full::new(Bytes::copy_from_slice(text.as_bytes()));
        match read(&headers, body).await {
            Ok(message) => {
                json!({"id": message.id, "read": String::from_utf8(message.bytes.to_vec()).unwrap()})
            }
            Err(refused) => {
                let status = refused.status.as_u16();
                let answer = refused.answer().into_body().collect().await.unwrap();
                let answer: Value = serde_json::from_slice(&answer.to_bytes()).unwrap();
                let error = &answer["error"];
                assert_eq!(error["data"]["effect"], "none", "{answer}");
                assert!(error["data"]["code"].is_string(), "{answer}");
                json!([status, answer["id"], error["code"]])
            }
        }
    }

    #[track_caller]
    fn is(found: &Value, expected: Value) {
        assert_eq!(*found, expected);
    }

    #[tokio::test]
    async fn what_is_no_message_is_an_error_with_its_status() {
        let json = "application/json; charset=utf-8";
        for (text, expected) in [
            ("{", json!([400, null, -32700])),
            ("", json!([400, null, -32600])),
            ("[]", json!([400, null, -32600])),
            (
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
                json!([400, null, -32600]),
            ),
            ("{\"id\":1,\"method\":\"ping\"}", json!([400, 1, -32600])),
        ] {
            is(&read_as(json, "2025-11-25", text).await, expected);
        }
        is(
            &read_as("text/plain", "2025-11-25", "{}").await,
            json!([415, null, -32600]),
        );
    }

    #[tokio::test]
    async fn wrong_parameters_answer_the_request() {
        let call = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}"#;
        for (version, status) in [("2025-11-25", 200), ("2026-07-28", 400)] {
            let found = read_as("application/json", version, call).await;
            is(&found, json!([status, "a", -32602]));
        }
    }

    #[tokio::test]
    async fn a_message_comes_through() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#;
        let found = read_as("application/json", "2025-11-25", ping).await;
        is(
            &found,
            json!({"id": 1, "read": r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#}),
        );
    }

    #[tokio::test]
    async fn a_message_has_a_limit() {
        let text = "x".repeat(LONGEST + 1);
        let found = read_as("application/json", "2025-11-25", &text).await;
        is(&found, json!([413, null, -32600]));
    }
}
